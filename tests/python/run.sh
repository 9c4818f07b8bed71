#!/usr/bin/env bash
# Installs the Python package with pip, into an environment of its own and over an installed copy of a build, and runs
# its tests.
# Usage: run.sh BUILD_DIR   (of edgewise, already built)
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
package=$(dirname "$(find "$scratch/prefix" -name edgewise-config.cmake)")
"${PYTHON:-python3}" -m venv "$scratch/environment"
. "$scratch/environment/bin/activate"
pip install -q --disable-pip-version-check -r tests/python/requirements.txt
pip install -q --disable-pip-version-check ./apps/python --config-settings=cmake.define.edgewise_DIR="$package"
python -m pytest -q -p no:cacheprovider tests/python
