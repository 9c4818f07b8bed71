#!/usr/bin/env bash
# From a checkout to predictions: installs what is missing, builds the release binary, and learns who will buy from a
# small social network that comes with the sources. Writes model.safetensors and predictions.csv where it is called.
set -eu
here=$PWD
cd "$(dirname "$0")/.."
.ci/install-dependencies
/usr/bin/cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
/usr/bin/cmake --build build --target edgewise_cli
root=$PWD
cd "$here"
"$root/build/edgewise" train purchases --out model.safetensors --predictions predictions.csv
echo "model.safetensors is the model, predictions.csv says for everyone how likely they are to buy."
