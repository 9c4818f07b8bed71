#!/usr/bin/env bash
# Builds with sanitizers and runs every test.
# Usage: sanitizers.sh [address,undefined|thread]
set -eu
cd "$(dirname "$0")/.."
sanitizers=${1:-address,undefined}
build=build-${sanitizers%%,*}
.ci/install-dependencies
/usr/bin/cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g0" \
  -DEDGEWISE_UNITY=ON -DEDGEWISE_SANITIZE="$sanitizers"
/usr/bin/cmake --build "$build"
# Leak detection is off because other libraries keep memory until the process ends. The package test builds without
# sanitizers, and the guide is only text.
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1
/usr/bin/ctest --test-dir "$build" --output-on-failure --timeout 7200 -j2 -E "package|guide"
