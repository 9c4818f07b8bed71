#!/usr/bin/env bash
# Builds and runs small consumers of an installed copy, which need nothing but find_package.
# Usage: run.sh BUILD_DIR   (of edgewise, already built)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
datasets=$here/../../datasets
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cmp "$here/../../LICENSE" "$scratch/prefix/share/doc/edgewise/LICENSE"
/usr/bin/cmake -S "$here/find_package" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
/usr/bin/cmake --build "$scratch/build"
cp "$datasets/purchases/friends.csv" "$datasets/purchases/people.csv" "$scratch"
cd "$scratch"
build/main
build/classify .
[ "$(wc -l <predictions.csv)" -eq 2001 ]
cat >my.json <<'JSON'
{"data": {"edges": "friends.csv", "nodes": "people.csv", "label": "buys", "directed": true},
 "model": {"preset": "gat", "hidden": 32, "heads": 4},
 "training": {"epochs": 20}}
JSON
build/job my.json model.safetensors
[ -s model.safetensors ]
# Images of two kinds, bright above and bright below, in place of digits.
awk 'BEGIN {
  for (i = 0; i < 64; ++i) printf "p%d%d,", i / 8, i % 8
  print "digit"
  for (row = 0; row < 40; ++row) {
    for (i = 0; i < 64; ++i) printf "%d,", (row % 2 ? i < 32 : i >= 32) ? 12 + row % 4 : 0
    print row % 2
  }
}' >digits.csv
build/find_digits digits.csv 3 | grep "told as the right digit"
build/draw_digits digits.csv 3 0 | grep "drawn with attention"
build/answer model.safetensors p0 p1 | grep -q '"node":"p1"'
build/answer nothing.safetensors p0 2>&1 | grep -q '^answer: nothing.safetensors: '
