#!/usr/bin/env bash
# Checks the includes of the library against the table in lib/README.md.
# Usage: check.sh [SOURCE_DIR]
set -eu
cd "${1:-$(dirname "$0")/../..}/lib"
{
  # Turns "| `nn` | ... | `core`, `io` (safetensors) |" into "may nn core io".
  sed -nE 's/^\| `([a-z]+)` \|.*\|([^|]*)\|$/may \1 \2/p' README.md | sed -E 's/\([^)]*\)//g; s/[`,]/ /g'
  grep -rnE '^#include "edgewise/[a-z]+/' edgewise/*/ --include='*.hpp' --include='*.cpp' --include='*.in' |
    sed -E 's/^([^:]*):([^:]*):#include "([^"]*)".*/include \1:\2 \3/'
} | awk '
  $1 == "may" { modules++; for (i = 3; i <= NF; ++i) may[$2, $i] = 1 }
  $1 == "include" {
    if (!closed) {  # makes the relation transitive
      for (key in may) { split(key, pair, SUBSEP); known[pair[1]]; known[pair[2]] }
      for (k in known) for (i in known) for (j in known) if ((i, k) in may && (k, j) in may) may[i, j] = 1
      closed = 1
    }
    ++includes
    split($2, from, "/"); split($3, to, "/")
    if (from[2] == "train" && from[3] ~ /^(loop|baselines)$/ && to[2] == "train" && to[3] !~ /^(loop|baselines)$/) wrong[$2] = "train/" from[3] " may not include " $3
    if (from[2] == to[2]) next
    if (!((from[2], to[2]) in may) && !((from[2], "everything") in may))
      wrong[$2] = from[2] " may not include " $3
    else if (to[3] == "detail" && to[2] != "core")
      wrong[$2] = $3 " is private to " to[2]
  }
  END {
    for (place in wrong) { print "lib/" place ": " wrong[place]; failed = 1 }
    if (modules < 9 || includes < 100) { print "lib/README.md: expected a table of modules"; failed = 1 }
    exit failed
  }'
