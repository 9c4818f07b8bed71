#!/usr/bin/env bash
# Runs the packages of apps/package/build.sh in a bare Debian 12, made by debootstrap: they must need nothing but
# what every Linux has, and Python and NumPy for the wheel. Needs root.
# Usage: bare.sh FOLDER [MIRROR]   (of the packages; of Debian)
set -eu
packages=$(realpath "$1")
datasets=$(realpath "$(dirname "$0")/../../datasets")
bare=$(mktemp -d)
trap 'umount "$bare/proc" 2>/dev/null || true; rm -rf "$bare"' EXIT
debootstrap --variant=minbase --include=python3-numpy bookworm "$bare" "${2:-}" >/dev/null
mount -t proc proc "$bare/proc"
cp "$packages"/*.tar.gz "$packages"/*.whl "$datasets/purchases"/*.csv "$bare/opt"
chroot "$bare" bash -e <<'SHELL'
cd /opt
tar xzf *.tar.gz
python3 -c 'import glob, zipfile; zipfile.ZipFile(glob.glob("*.whl")[0]).extractall("wheel")'
PATH=$(echo /opt/edgewise-*-linux-*/bin):$PATH
for level in x86-64 x86-64-v3 x86-64-v4; do
  EDGEWISE_INSTRUCTIONS=$level edgewise version || [ "$level" = x86-64-v4 ]  # which not all processors have
done
edgewise train --edges friends.csv --nodes people.csv --label buys --directed --model gat --epochs 5 --out m.safetensors
PYTHONPATH=wheel python3 -c '
import edgewise
predictions = edgewise.load("m.safetensors").predict(edges="friends.csv", nodes="people.csv")
print(edgewise.instructions, predictions.names[0], predictions.values[0])
'
if ! ls edgewise-*/libs/libRDKit* >/dev/null 2>&1; then
  echo "packages without molecules"
  exit
fi
printf 'smiles,y\nCCO,1\nCCC,2\nCCN,3\nc1ccccc1,4\nCCCl,5\nCCBr,6\nCO,3.5\nCN,2.5\nCCCC,3.1\nCCCO,2.2\n' >molecules.csv
edgewise train --molecules molecules.csv --label y --model gatv2 --epochs 3 --out molecules.safetensors
edgewise explain molecules.safetensors --row 1 --out molecule.svg
PYTHONPATH=wheel python3 -c '
import edgewise
print(edgewise.load("molecules.safetensors").predict(molecules="molecules.csv").values[0])
'
SHELL
