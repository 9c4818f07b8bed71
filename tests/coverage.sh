#!/usr/bin/env bash
# Runs every test and prints the line and branch coverage of each file in lib/. Needs gcovr (Debian).
# Usage: coverage.sh [GCOVR OPTIONS]
set -eu
cd "$(dirname "$0")/.."
.ci/install-dependencies
/usr/bin/cmake -S . -B build-coverage -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g0" -DEDGEWISE_UNITY=ON -DEDGEWISE_COVERAGE=ON
/usr/bin/cmake --build build-coverage
find build-coverage -name '*.gcda' -delete
/usr/bin/ctest --test-dir build-coverage --output-on-failure --timeout 7200 -E package
gcovr --root . --filter lib/ --exclude-throw-branches --exclude-unreachable-branches "$@" build-coverage
