#!/usr/bin/env bash
# Runs the command line, and small programs that are built for several processors, on emulated ones: each works, or says
# in one line which instructions are missing, and never ends by an illegal one.
# Usage: run.sh EDGEWISE   (the binary)
set -eu
edgewise=$(realpath "$1")
cd "$(dirname "$0")/../.."
if [ "$(uname -m)" != x86_64 ] || ! command -v qemu-x86_64 >/dev/null; then
  echo "skipped: needs x86-64 and qemu-x86_64 (Debian: qemu-user)"
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# on CPU PROGRAM ARGUMENT...: sets `code` and `text`. The emulator's own warnings are left out.
on() {
  local cpu=$1
  shift
  code=0
  qemu-x86_64 -cpu "$cpu" "$@" >"$scratch/text" 2>&1 || code=$?
  text=$(grep -v "TCG doesn't support" "$scratch/text" || true)
}
fail() {
  echo "$1: exit code $code: $text"
  exit 1
}
refused='^edgewise: built for instructions that this processor lacks \([a-z0-9., ]*\): build it here, or with -DEDGEWISE_ARCH=x86-64(-v[234])?$'

for cpu in Nehalem Denverton Haswell Skylake-Server EPYC; do
  on "$cpu" "$edgewise" --version
  if [ "$code" -eq 0 ]; then
    [[ $text == "edgewise "* ]] || fail "$cpu"
  else
    [ "$code" -eq 1 ] && [[ $text =~ $refused ]] || fail "$cpu"
  fi
done

# The check of the command line, in a program whose constructors run: it must come before them.
cat >"$scratch/main.cpp" <<'CPP'
#include <cstdio>
struct Early {
  Early() { std::puts("constructed"); }
} early;
int main() { std::puts("ran"); }
CPP
compile() { "${CXX:-c++}" -std=c++20 -O2 -Ilib "$@"; }
for source in lib/edgewise/core/instructions apps/edgewise/processor_check; do
  compile -march=x86-64 -c "$source.cpp" -o "$scratch/$(basename "$source").o"
done
build_for() {
  compile -march="$1" "$scratch/main.cpp" lib/edgewise/core/built_for.cpp "$scratch/instructions.o" \
    "$scratch/processor_check.o" -o "$scratch/program"
}
runs_on() {
  on "$1" "$scratch/program"
  [ "$code" -eq 0 ] && [ "$text" = $'constructed\nran' ] || fail "$1"
}
lacks() {
  on "$1" "$scratch/program"
  [ "$code" -eq 1 ] && [[ $text =~ $refused ]] && [[ $text == *"($2): build it here, or with -DEDGEWISE_ARCH=$3" ]] ||
    fail "$1"
}
build_for x86-64
runs_on Nehalem
build_for x86-64-v2
runs_on Nehalem
runs_on Denverton
build_for sandybridge
lacks Denverton avx x86-64-v2
runs_on Haswell
build_for x86-64-v3
lacks Nehalem "lzcnt, movbe, bmi, bmi2, avx, f16c, fma, avx2" x86-64-v2
runs_on Haswell
runs_on EPYC
build_for x86-64-v4  # the emulator has no AVX-512
lacks Skylake-Server "avx512f, avx512cd, avx512bw, avx512dq, avx512vl" x86-64-v3
build_for sapphirerapids
lacks Haswell "avxvnni, gfni, avx512f, avx512cd, avx512bw, avx512dq, avx512vl, avx512ifma, avx512vbmi, avx512vbmi2, \
avx512vnni, avx512bitalg, avx512vpopcntdq, avx512bf16, avx512fp16" x86-64-v3
