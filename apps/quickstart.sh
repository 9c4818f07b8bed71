#!/usr/bin/env bash
# From a checkout to predictions: runs the main tasks on the bundled data: who will buy in a small social network, and how
# hydrophilic small molecules are. Writes model.safetensors, predictions.csv, molecules.safetensors,
# molecule-predictions.csv and molecule.svg to the current directory.
# Usage: quickstart.sh [PROGRAM]
# The command line is PROGRAM, or that on the PATH, or that of a package of this version (an archive, a wheel or a Debian
# package) in the current directory, the checkout, its folder packages, or beside the checkout. Without any of these,
# missing dependencies are installed, and the release binary is built.
set -eu
here=$PWD
sources=$(cd "$(dirname "$0")/.." && pwd)

# Unpacks a package into build/package, and prints the path of its program.
unpack() {
  local into=$sources/build/package
  rm -rf "$into"
  mkdir -p "$into"
  case $1 in
    *.tar.gz) tar xzf "$1" -C "$into" --strip-components 1 && echo "$into/bin/edgewise" ;;
    *.whl)
      python3 -m zipfile -e "$1" "$into" && chmod +x "$into"/edgewise/bin/edgewise "$into"/edgewise/*/edgewise &&
        echo "$into/edgewise/bin/edgewise"
      ;;
    *.deb) dpkg -x "$1" "$into" && echo "$into/usr/bin/edgewise" ;;
  esac
}

# The program of the first package that has this version and runs here; nothing if there is none.
packaged() {
  local version folder package program
  version=$(sed -n 's/.*kVersion = "\(.*\)".*/\1/p' "$sources/lib/edgewise/core/version.hpp")
  for folder in "$here" "$sources" "$sources/packages" "$sources/.."; do
    for package in "$folder"/edgewise-"$version"-linux-"$(uname -m)".tar.gz "$folder"/edgewise-"$version"-*"$(uname -m)".whl \
      "$folder"/edgewise_"$version"_*.deb; do
      [ -f "$package" ] || continue
      program=$(unpack "$package") && "$program" version >/dev/null 2>&1 || continue
      echo "Using $package" >&2
      echo "$program"
      return
    done
  done
}

edgewise=${1:-$(command -v edgewise || packaged)}
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
echo
echo "Next, with your own files (docs/first-hour.md):"
echo "  export PATH=$(cd "$(dirname "$edgewise")" && pwd):\$PATH"
