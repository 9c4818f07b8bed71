#!/usr/bin/env bash
# Makes a wheel of a build, installs it into an environment of its own, and runs the tests of the Python package.
# Usage: run.sh BUILD_DIR   (of edgewise, already built)
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
"${PYTHON:-python3}" -m venv "$scratch/environment"
. "$scratch/environment/bin/activate"
# Python compiles what the tests import; pip would compile all of it.
pip install -q --disable-pip-version-check --no-compile -r tests/python/requirements.txt -r apps/package/requirements.txt
python apps/package/bundle.py "$scratch/packages" native="$scratch/prefix"
pip install -q --disable-pip-version-check "$scratch"/packages/*.whl
EDGEWISE_PROGRAM="$scratch/prefix/bin/edgewise" EDGEWISE_ARCHIVE=$(echo "$scratch"/packages/*.tar.gz) python -m pytest -q -p no:cacheprovider tests/python
