#!/usr/bin/env bash
# Builds the packages for Linux on x86-64: a Python wheel that has the command line too, and an archive with the command
# line alone. Both hold the program for several levels of instructions, and start the one that suits the processor.
# Usage: build.sh FOLDER [-DEDGEWISE_RDKIT=OFF ...]   (for the packages; for CMake: this is one without molecules)
set -eu
mkdir -p "$1"
folder=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
.ci/install-dependencies
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${PYTHON:-python3}" -m venv "$scratch/environment"
. "$scratch/environment/bin/activate"
pip install -q --disable-pip-version-check -r apps/package/requirements.txt
copies=()
for level in x86-64 x86-64-v3 x86-64-v4; do
  /usr/bin/cmake -S . -B "build-$level" -G Ninja -DCMAKE_BUILD_TYPE=Release -DEDGEWISE_UNITY=ON \
    -DEDGEWISE_BUILD_TESTS=OFF -DBUILD_SHARED_LIBS=ON -DEDGEWISE_ARCH=$level -DEDGEWISE_RDKIT=ON -DEDGEWISE_XGBOOST=ON \
    -DOPENSSL_USE_STATIC_LIBS=ON "$@"
  /usr/bin/cmake --build "build-$level" --target edgewise edgewise_instructions edgewise_cli
  /usr/bin/cmake --install "build-$level" --prefix "build-$level/copy" >/dev/null
  copies+=("$level=build-$level/copy")
done
python apps/package/bundle.py "$folder" "${copies[@]}"
