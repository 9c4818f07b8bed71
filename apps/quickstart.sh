#!/usr/bin/env bash
# From a checkout to predictions: installs missing dependencies, builds the release binary, and runs the main tasks on
# the bundled data: who will buy in a small social network, and how hydrophilic small molecules are. Writes
# model.safetensors, predictions.csv, molecules.safetensors, molecule-predictions.csv and molecule.svg to the current
# directory.
# Usage: quickstart.sh [PROGRAM]   (the command line; nothing is installed or built if it is given, or on the PATH, as
# that of a package is)
set -eu
here=$PWD
sources=$(cd "$(dirname "$0")/.." && pwd)
edgewise=${1:-$(command -v edgewise || true)}
if [ -z "$edgewise" ]; then
  cd "$sources"
  .ci/install-dependencies
  /usr/bin/cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DEDGEWISE_UNITY=ON
  /usr/bin/cmake --build build --target edgewise_cli
  edgewise=$PWD/build/edgewise
  cd "$here"
fi
"$edgewise" train purchases --out model.safetensors --predictions predictions.csv
echo "model.safetensors is the model, predictions.csv says for everyone how likely they are to buy:"
head -4 predictions.csv
echo
"$edgewise" train hydrophilicity --out molecules.safetensors --predictions molecule-predictions.csv
"$edgewise" explain molecules.safetensors --row 7 --out molecule.svg
echo "molecules.safetensors is the model of the molecules, molecule-predictions.csv has a row for each of them,"
echo "molecule.svg shows what each atom and bond of the seventh adds to what the model says."
