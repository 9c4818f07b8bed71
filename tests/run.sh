#!/usr/bin/env bash
# Installs missing dependencies, builds, and runs every test.
set -eu
cd "$(dirname "$0")/.."
.ci/install-dependencies
/usr/bin/cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DEDGEWISE_UNITY=ON
/usr/bin/cmake --build build
[ -n "${EDGEWISE_DATA:-}" ] || echo "EDGEWISE_DATA is not set: the tests on real data are skipped."
/usr/bin/ctest --test-dir build --output-on-failure -j2
