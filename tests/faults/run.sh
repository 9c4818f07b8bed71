#!/usr/bin/env bash
# Tests failing calls, kills and concurrent writers: every file must be completely the old or the new one, and a resumed
# training must give a bitwise identical model.
# Usage: run.sh EDGEWISE INTERPOSER KILLS ALLOCATIONS   (how many kills of each kind, and how many allocations to fail)
set -u
edgewise=$(realpath "$1") interposer=$(realpath "$2") kills=$3 allocations=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }
random() { printf '0.%03d' $((RANDOM % 200 + 10)); }

awk 'BEGIN {
  print "source,target" >"e.csv"; print "id,age,y" >"n.csv"
  for (i = 0; i < 60; ++i) { print i "," (i + 1) % 60 >"e.csv"; print i "," i % 9 "," (i % 9 < 4 ? "a" : "b") >"n.csv" }
}'
job=(train --edges e.csv --nodes n.csv --label y --hidden 8 --heads 2 --threads 1 --quiet --stopping none)
"$edgewise" "${job[@]}" --epochs 20 --out m --checkpoint c --predictions p.csv >/dev/null || fail "the job itself fails"
"$edgewise" "${job[@]}" --epochs 400 --checkpoint-every 400 --checkpoint whole --out whole.m >/dev/null || fail "the long job fails"
cp m old.m; cp c old.c; cp p.csv old.p

# A file is either unchanged or as the job writes it.
"$edgewise" "${job[@]}" --epochs 30 --out new.m --checkpoint new.c --predictions new.p.csv >/dev/null
check_files() {
  local name old new
  for name in m c p.csv; do
    case $name in m) old=old.m new=new.m ;; c) old=old.c new=new.c ;; *) old=old.p new=new.p.csv ;; esac
    cmp -s $name $old || cmp -s $name $new || fail "$1: $name is neither the old one nor the new one"
  done
  cp old.m m; cp old.c c; cp old.p p.csv
}
left_behind() { ls -A | grep -c edgewise-tmp; }

for call in write fsync rename; do
  count=1
  for ((at = 0; at <= count; ++at)); do
    FAULT_CALL=$call FAULT_AT=$at FAULT_COUNT=count LD_PRELOAD=$interposer \
      "$edgewise" "${job[@]}" --epochs 30 --out m --checkpoint c --predictions p.csv >/dev/null 2>error
    code=$?
    [ $at -eq 0 ] && count=$(cat count)
    [ $at -eq 0 ] && [ $code -ne 0 ] && fail "$call: code $code without a fault"
    [ $at -gt 0 ] && [ $code -ne 3 ] && fail "$call $at of $count: code $code, expected 3: $(cat error)"
    [ "$(left_behind)" -eq 0 ] || fail "$call $at: a temporary file is left behind"
    check_files "$call $at"
  done
  echo "$call: each of $count calls failed once"
done

# A full disk, if root can mount one: with space for the old files and increasingly more for the new ones.
kibibytes() { stat -c %s "$@" | awk '{sum += int(($1 + 4095) / 4096) * 4} END {print sum}'; }
mkdir disk
full=0 sizes=0
for ((room = 0; room <= $(kibibytes new.m new.c new.p.csv) + 4; room += 4)); do
  mount -t tmpfs -o size=$(($(kibibytes old.m old.c old.p) + room))k tmpfs disk 2>/dev/null || break
  cp old.m disk/m; cp old.c disk/c; cp old.p disk/p.csv
  "$edgewise" "${job[@]}" --epochs 30 --out disk/m --checkpoint disk/c --predictions disk/p.csv >/dev/null 2>error
  code=$?
  case $code in
    0) ;;
    3) full=$((full + 1)); grep -q "No space left on device" error || fail "full disk, $room KiB left: $(cat error)" ;;
    *) fail "full disk, $room KiB left: code $code: $(cat error)" ;;
  esac
  [ "$(ls -A disk | wc -l)" -eq 3 ] || fail "full disk, $room KiB left: a temporary file is left behind"
  cp disk/m m; cp disk/c c; cp disk/p.csv p.csv
  umount disk
  check_files "full disk, $room KiB left"
  sizes=$((sizes + 1))
done
if [ $sizes -gt 0 ]; then
  echo "full disk: $full of $sizes sizes were too small"
else
  echo "full disk: not tried, only root may mount one"
fi

FAULT_CALL=malloc FAULT_AT=0 FAULT_COUNT=count LD_PRELOAD=$interposer \
  "$edgewise" "${job[@]}" --epochs 30 --out m --checkpoint c --predictions p.csv >/dev/null 2>&1
count=$(cat count)
check_files "malloc"
for ((i = 1; i <= allocations; ++i)); do
  at=$((i * count / (allocations + 1)))
  (FAULT_CALL=malloc FAULT_AT=$at LD_PRELOAD=$interposer \
    "$edgewise" "${job[@]}" --epochs 30 --out m --checkpoint c --predictions p.csv >/dev/null 2>error; exit) 2>/dev/null
  code=$?
  case $code in
    0 | 1) ;;
    *) fail "malloc $at of $count: code $code: $(tail -1 error)" ;;
  esac
  check_files "malloc $at"
done
echo "malloc: $allocations of $count calls failed once"

killed=0
# Killed while training and saving: the resumed job must give the same bits as an uninterrupted one.
for ((i = 0; i < kills; ++i)); do
  rm -f k k.m
  for ((try = 0; try < 50; ++try)); do
    resume=(); [ -e k ] && resume=(--resume k)
    (timeout -s KILL "$(random)" "$edgewise" "${job[@]}" --epochs 400 --checkpoint-every 3 --checkpoint k --out k.m \
      "${resume[@]}" >/dev/null 2>error; exit) 2>/dev/null && break
    killed=$((killed + 1))
    grep -q "^edgewise:" error && fail "kill $i: $(cat error)"
  done
  [ -e k.m ] || "$edgewise" "${job[@]}" --epochs 400 --checkpoint k --out k.m ${resume[@]+"${resume[@]}"} >/dev/null
  cmp -s k.m whole.m || fail "kill $i: the resumed training ends in other bits"
done
echo "kill: $kills trainings, killed $killed times in all before they were done"
for ((i = 0; i < kills; ++i)); do
  (timeout -s KILL "0.0$((RANDOM % 30 + 1))" "$edgewise" predict new.m --edges e.csv --nodes n.csv --out p.csv >/dev/null 2>&1; exit) \
    2>/dev/null
  cmp -s p.csv old.p || cmp -s p.csv new.p.csv || fail "kill of predict $i: p.csv is damaged"
done

# Two writers of one file: the result is completely one of the two.
for ((i = 0; i < kills; ++i)); do
  "$edgewise" "${job[@]}" --epochs 20 --out both >/dev/null & first=$!
  "$edgewise" "${job[@]}" --epochs 30 --out both >/dev/null & second=$!
  wait $first || fail "two writers: the first fails"
  wait $second || fail "two writers: the second fails"
  cmp -s both old.m || cmp -s both new.m || fail "two writers: neither file"
done
echo "two writers: $kills times"
[ "$(left_behind)" -le 1 ] || fail "temporary files of killed processes are not removed"
[ $failures -eq 0 ]
