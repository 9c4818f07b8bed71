#!/usr/bin/env bash
# Builds the command line without RDKit and XGBoost, and expects one line from what needs them, and answers from all else.
# Usage: without.sh BUILD_DIR   (a folder of its own)
set -eu
build=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
/usr/bin/cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DEDGEWISE_UNITY=ON -DEDGEWISE_BUILD_TESTS=OFF \
  -DEDGEWISE_RDKIT=OFF -DEDGEWISE_XGBOOST=OFF >/dev/null
/usr/bin/cmake --build "$build" --target edgewise_cli >/dev/null
edgewise=$build/edgewise
if ldd "$edgewise" | grep -i 'rdkit\|xgboost'; then exit 1; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
refused() {
  local problem=$1
  shift
  if "$@" >"$scratch/out" 2>"$scratch/error"; then echo "was not refused: $*" >&2; exit 1; fi
  [ "$(wc -l <"$scratch/error")" = 1 ] && grep -q "$problem" "$scratch/error" || { cat "$scratch/error" >&2; exit 1; }
}
refused "molecules need RDKit, without which this copy of Edgewise was built" \
  "$edgewise" train hydrophilicity --quiet --model gcn --epochs 2 --out "$scratch/m.safetensors"
refused "molecules need RDKit" "$edgewise" data generate molecules --out "$scratch/molecules"
refused "boosted trees need XGBoost, without which this copy of Edgewise was built" \
  "$edgewise" train purchases --quiet --model boosted_trees --out "$scratch/m.safetensors"
"$edgewise" train purchases --out "$scratch/m.safetensors" --predictions "$scratch/predictions.csv" >/dev/null
"$edgewise" compare purchases --runs 1 --epochs 20 2>&1 | grep 'boosted_trees is skipped: boosted trees need XGBoost'
echo "what needs RDKit and XGBoost says so in one line; all else works"
