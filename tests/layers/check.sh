#!/usr/bin/env bash
# Checks the includes of the library against lib/README.md: those between modules against the table, those between the
# rooms of `train` against their order, and likewise those of `attention/fused` against its README. No includes may lead
# back to where they started. No source of data may be named but in the files of kinds/: what one can do is in its row.
# Only ModelConfig reads what a model is to be. What follows from a task is said in train/targets/: elsewhere hardly a
# line may name one.
# Usage: check.sh [SOURCE_DIR]
set -eu
cd "${1:-$(dirname "$0")/../..}/lib"
kinds=$(ls edgewise/train/source/kinds | sed 's/\.cpp$//' | paste -sd'|')
if grep -rnE "\\b($kinds)_source\b" edgewise --include='*.hpp' --include='*.cpp' | grep -v '^edgewise/train/source/kinds/'; then
  echo "lib: expected no name of a source outside edgewise/train/source/kinds/"
  exit 1
fi
if grep -rnE '(find|at|get|has)\("(preset|also)"' edgewise/train edgewise/report --include='*.hpp' --include='*.cpp' |
  grep -v '^edgewise/train/config/model_config\.'; then
  echo "lib: expected \"model\" of a configuration to be read by edgewise/train/config/model_config.cpp alone"
  exit 1
fi
{
  # Turns "| `nn` | ... | `core`, `io` (safetensors) |" into "may nn core io", and "    targets <- loop <- ..." into
  # "rooms targets loop ...".
  sed -nE 's/^\| `([a-z]+)` \|.*\|([^|]*)\|$/may \1 \2/p' README.md | sed -E 's/\([^)]*\)//g; s/[`,]/ /g'
  sed -nE '/^ +targets <- /{s/<-//g; s/^/rooms/; p}' README.md
  sed -nE '/^ +lanes <- /{s/<-//g; s/^/rooms_of_fused/; p}' edgewise/attention/fused/README.md
  grep -rnE '^#include "edgewise/[a-z]+/' edgewise/*/ --include='*.hpp' --include='*.cpp' --include='*.in' |
    sed -E 's/^([^:]*):([^:]*):#include "([^"]*)".*/include \1:\2 \3/'
} | awk '
  # A header and its source are one file.
  function file_of(path) { sub(/:[0-9]+$/, "", path); sub(/\.(hpp|cpp)(\.in)?$/, "", path); return path }

  function check_rooms(place, from, to) {
    if (to[2] != "train" || from[3] == to[3]) return
    for (i = 3; i <= 4; ++i) room[i] = i == 3 ? from[3] : to[3]
    if (!(room[3] in order) || !(room[4] in order))
      wrong[place] = "the rooms of train in lib/README.md lack " (room[3] in order ? room[4] : room[3])
    else if (order[room[4]] > order[room[3]])
      wrong[place] = "train/" room[3] " may not include train/" room[4] ", which comes later"
  }

  function check_rooms_of_fused(place, from, to) {
    if (from[3] != "fused" || to[3] != "fused" || from[5] == "" || to[5] == "" || from[4] == to[4]) return
    if (!(from[4] in order_in_fused) || !(to[4] in order_in_fused))
      wrong[place] = "the rooms in lib/edgewise/attention/fused/README.md lack one of " from[4] " and " to[4]
    else if (order_in_fused[to[4]] > order_in_fused[from[4]])
      wrong[place] = "fused/" from[4] " may not include fused/" to[4] ", which comes later"
  }

  # Takes away the files that include none of those left, again and again: what stays leads to a circle.
  function find_circle() {
    do {
      is_less = 0
      for (file in includes_left) {
        count = split(files_of[file], named, " ")
        for (i = 1; i <= count && !(named[i] in includes_left); ++i) continue
        if (i > count) { delete includes_left[file]; is_less = 1 } else next_of[file] = named[i]
      }
    } while (is_less)
    for (file in includes_left) break
    if (!(file in includes_left)) return ""
    while (!(file in seen)) { seen[file] = 1; file = next_of[file] }
    circle = start = file
    do { file = next_of[file]; circle = circle " -> " file } while (file != start)
    return circle
  }

  $1 == "may" { modules++; for (i = 3; i <= NF; ++i) may[$2, $i] = 1 }
  $1 == "rooms" { for (i = 2; i <= NF; ++i) order[$i] = i; rooms = NF - 1 }
  $1 == "rooms_of_fused" { for (i = 2; i <= NF; ++i) order_in_fused[$i] = i }
  $1 == "include" {
    if (!closed) {  # makes the relation transitive
      for (key in may) { split(key, pair, SUBSEP); known[pair[1]]; known[pair[2]] }
      for (k in known) for (i in known) for (j in known) if ((i, k) in may && (k, j) in may) may[i, j] = 1
      closed = 1
    }
    ++includes
    includes_left[file_of($2)]
    if (file_of($2) != file_of($3)) files_of[file_of($2)] = files_of[file_of($2)] " " file_of($3)
    split($2, from, "/"); split($3, to, "/")
    if (from[2] == "train") check_rooms($2, from, to)
    if (from[2] == "attention") check_rooms_of_fused($2, from, to)
    if (from[2] == to[2]) next
    if (!((from[2], to[2]) in may) && !((from[2], "everything") in may))
      wrong[$2] = from[2] " may not include " $3
    else if (to[3] == "detail" && to[2] != "core")
      wrong[$2] = $3 " is private to " to[2]
  }
  END {
    for (place in wrong) { print "lib/" place ": " wrong[place]; failed = 1 }
    if (circle = find_circle()) { print "lib: includes go round in a circle: " circle; failed = 1 }
    if (modules < 9 || rooms < 9 || includes < 100) {
      print "lib/README.md: expected a table of modules and the order of the rooms of train"
      failed = 1
    }
    exit failed
  }'

most=20
named=$(grep -rn 'Task::' edgewise ../apps --include='*.hpp' --include='*.cpp' | grep -vc '^edgewise/train/targets/' || true)
if [ "$named" -gt "$most" ]; then
  echo "lib, apps: $named lines outside of lib/edgewise/train/targets/ name a task (Task::), at most $most may:" \
    "ask the target, or the labels for their shape"
  exit 1
fi
