#!/usr/bin/env bash
# Expects one line from what needs RDKit and XGBoost, and answers from all else, of a command line that was built with
# -DEDGEWISE_RDKIT=OFF -DEDGEWISE_XGBOOST=OFF.
# Usage: without.sh [EMULATOR ...] PROGRAM   (the emulator if it is for another processor)
set -eu
edgewise=("$@")
program=${edgewise[-1]}
if readelf -d "$program" | grep -i 'NEEDED.*\(rdkit\|xgboost\)'; then exit 1; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
refused() {
  local problem=$1
  shift
  if "${edgewise[@]}" "$@" >"$scratch/out" 2>"$scratch/error"; then echo "was not refused: $*" >&2; exit 1; fi
  [ "$(wc -l <"$scratch/error")" = 1 ] && grep -q "$problem" "$scratch/error" || { cat "$scratch/error" >&2; exit 1; }
}
refused "molecules need RDKit, without which this copy of Edgewise was built" \
  train hydrophilicity --quiet --model gcn --epochs 2 --out "$scratch/m.safetensors"
refused "molecules need RDKit" data generate molecules --out "$scratch/molecules"
refused "boosted trees need XGBoost, without which this copy of Edgewise was built" \
  train purchases --quiet --model boosted_trees --out "$scratch/m.safetensors"
"${edgewise[@]}" train purchases --out "$scratch/m.safetensors" --predictions "$scratch/predictions.csv" >/dev/null
[ "$(wc -l <"$scratch/predictions.csv")" = 2001 ]
"${edgewise[@]}" compare purchases --runs 1 --epochs 20 2>&1 | grep 'boosted_trees is skipped: boosted trees need XGBoost'
echo "what needs RDKit and XGBoost says so in one line; all else works"
