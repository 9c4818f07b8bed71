#!/usr/bin/env bash
# Builds the readers with the address and undefined behaviour sanitizers and runs all of them on mutated inputs.
# Building without optimisation takes half the time.
# Usage: run.sh MINUTES [SEED]
set -eu
cd "$(dirname "$0")/../.."
.ci/install-dependencies
/usr/bin/cmake -S . -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -g0" -DEDGEWISE_UNITY=ON -DEDGEWISE_SANITIZE=address,undefined
/usr/bin/cmake --build build-fuzz --target edgewise_fuzz
targets=$(build-fuzz/tests/fuzz/edgewise_fuzz list)
seconds=$((60 * $1 / $(wc -w <<<"$targets")))
cd build-fuzz
for target in $targets; do
  ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1 \
    tests/fuzz/edgewise_fuzz "$target" "$seconds" "${2:-$RANDOM}" 10
done
