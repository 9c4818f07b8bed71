#!/usr/bin/env bash
# Runs tests of a finished build again and again, in random order, beside 0, 1 and 2 processes that keep the processor
# busy: no result may depend on the time, on the order, or on what other tests leave behind. Says which seed failed.
# Usage: repeat.sh BUILD TIMES [TESTS]   (names or tags as for edgewise_tests; by default all)
set -u
build=$(realpath "$1") times=$2 tests=("${@:3}")
busy=()
failures=0
log=$(mktemp)
trap 'kill "${busy[@]}" 2>/dev/null; rm -f "$log"' EXIT

for loops in 0 1 2; do
  while [ "${#busy[@]}" -lt "$loops" ]; do
    while :; do :; done &
    busy+=($!)
  done
  for ((seed = 1; seed <= times; ++seed)); do
    "$build/tests/edgewise_tests" --order rand --rng-seed "$seed" "${tests[@]}" >"$log" 2>&1 && continue
    failures=$((failures + 1))
    echo "failed: --order rand --rng-seed $seed ${tests[*]} beside $loops busy processes"
    grep -A30 -m1 FAILED "$log"
  done
  echo "$times runs beside $loops busy processes; the last: $(grep -E 'tests? passed|test cases' "$log" | tail -n 1)"
done
[ "$failures" -eq 0 ] || { echo "$failures runs failed"; exit 1; }
