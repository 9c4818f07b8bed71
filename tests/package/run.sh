#!/usr/bin/env bash
# Builds a small consumer against an installed copy: find_package must be all that it needs.
# Usage: run.sh BUILD_DIR   (of edgewise, already built)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
/usr/bin/cmake -S "$here/find_package" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
/usr/bin/cmake --build "$scratch/build"
"$scratch/build/consumer"
