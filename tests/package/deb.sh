#!/usr/bin/env bash
# Installs the Debian package in a bare Debian 12, made by debootstrap, and uses what it brings. Needs root.
# Usage: deb.sh PACKAGE.deb [MIRROR]   (of Debian; without it, the default of debootstrap)
set -eu
package=$(realpath "$1")
datasets=$(realpath "$(dirname "$0")/../../datasets")
mirror=${2:-}
bare=$(mktemp -d)
trap 'umount "$bare/proc" 2>/dev/null || true; rm -rf "$bare"' EXIT
debootstrap --variant=minbase bookworm "$bare" "$mirror" >/dev/null
mount -t proc proc "$bare/proc"
cp /etc/resolv.conf "$bare/etc/resolv.conf"
cp "$package" "$bare/opt/edgewise.deb"
cp "$datasets/purchases"/*.csv "$bare/opt"
chroot "$bare" bash -e <<'SHELL'
cd /opt
export DEBIAN_FRONTEND=noninteractive
echo 'APT::Sandbox::User "root"; Dpkg::Use-Pty "0";' >/etc/apt/apt.conf.d/bare
apt-get update -qq
apt-get install -y -qq --no-install-recommends ./edgewise.deb >/dev/null
edgewise version
edgewise data list | grep purchases
edgewise train --edges friends.csv --nodes people.csv --label buys --directed --model gat --epochs 5 --out m.safetensors
edgewise predict m.safetensors --out predictions.csv
head -2 predictions.csv
printf 'smiles,y\nCCO,1\nCCC,2\nCCN,3\nc1ccccc1,4\nCCCl,5\nCCBr,6\nCO,3.5\nCN,2.5\nCCCC,3.1\nCCCO,2.2\n' >molecules.csv
edgewise train --molecules molecules.csv --label y --model gatv2 --epochs 3 --out molecules.safetensors
. /usr/share/bash-completion/completions/edgewise
COMP_WORDS=(edgewise train --learn) COMP_CWORD=2
_edgewise
[ "${COMPREPLY[*]}" = --learning-rate ]
# dpkg leaves out man pages in a minimal system, but knows them.
for file in /usr/share/man/man1/edgewise-train.1 include/edgewise/edgewise.hpp include/edgewise/c/edgewise.h libedgewise edgewise-config.cmake; do
  dpkg-query -L edgewise | grep -F "$file" | head -1 | grep .
done
apt-get remove -y -qq edgewise >/dev/null
[ ! -e /usr/bin/edgewise ]
echo "the package installs, does what it should, and is removed"
SHELL
