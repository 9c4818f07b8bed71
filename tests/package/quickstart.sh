#!/usr/bin/env bash
# apps/quickstart.sh takes the program of a package that lies beside it, whatever kind of package, and no other version's.
# The packages here have a program that writes down how it is called.
set -eu
sources=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version=$(sed -n 's/.*kVersion = "\(.*\)".*/\1/p' "$sources/lib/edgewise/core/version.hpp")
machine=$(uname -m)
export PATH=/usr/bin:/bin
command -v edgewise >/dev/null && { echo "edgewise is installed: not tested"; exit 0; }

mkdir -p "$folder/checkout/apps" "$folder/checkout/lib/edgewise/core" "$folder/checkout/.ci" "$folder/packages"
cp "$sources/apps/quickstart.sh" "$folder/checkout/apps"
cp "$sources/lib/edgewise/core/version.hpp" "$folder/checkout/lib/edgewise/core"
printf '#!/bin/sh\necho "it would be built"\nexit 1\n' >"$folder/checkout/.ci/install-dependencies"
chmod +x "$folder/checkout/.ci/install-dependencies"

# The program, in a tree as that of a package.
program() {
  mkdir -p "$1/bin" "$1/native"
  # shellcheck disable=SC2016
  printf '#!/bin/sh\necho "%s $*" >>calls\n[ "$1" = version ] || touch predictions.csv\n' "$2" >"$1/bin/edgewise"
  cp "$1/bin/edgewise" "$1/native/edgewise"
  chmod +x "$1"/*/edgewise
}

# expect WHAT: what runs, or "built".
expect() {
  rm -rf "$folder/run"
  mkdir "$folder/run"
  (cd "$folder/run" && bash "$folder/checkout/apps/quickstart.sh" >output 2>&1) || true
  if [ "$1" = built ]; then grep -q "it would be built" "$folder/run/output"; else grep -q "^$1 train purchases" "$folder/run/calls"; fi ||
    { echo "expected $1:"; cat "$folder/run/output"; exit 1; }
}

expect built
for of in "$version" 0.0.1; do
  program "$folder/tree/edgewise-$of" "archive"
  tar czf "$folder/packages/edgewise-$of-linux-$machine.tar.gz" -C "$folder/tree" "edgewise-$of"
  program "$folder/wheel-$of/edgewise" "wheel"
  (cd "$folder/wheel-$of" && python3 -m zipfile -c "$folder/packages/edgewise-$of-cp311-cp311-manylinux_2_36_$machine.whl" edgewise)
done
mv "$folder/packages/"edgewise-0.0.1* "$folder/checkout"
expect built
mv "$folder/packages/edgewise-$version-linux-$machine.tar.gz" "$folder"
expect archive
rm "$folder/edgewise-$version-linux-$machine.tar.gz"
mkdir "$folder/checkout/packages"
mv "$folder/packages/"*.whl "$folder/checkout/packages"
expect wheel
echo "broken" >"$folder/edgewise-$version-linux-$machine.tar.gz"
rm "$folder/checkout/packages/"*
expect built
echo "the quickstart uses packages"
