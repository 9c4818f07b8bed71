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

# The same for freezing, whose edges and their order wait on the disk.
awk 'BEGIN {
  srand(1); print "source,target" >"big.csv"; print "id,age,y" >"big.nodes.csv"
  for (i = 0; i < 2000; ++i) print i "," i % 9 "," (i % 9 < 4 ? "a" : "b") >"big.nodes.csv"
  for (i = 0; i < 8000; ++i) print int(rand() * 2000) "," int(rand() * 2000) >"big.csv"
}'
freeze=(data freeze --edges big.csv --nodes big.nodes.csv --label y --parts 4 --memory 64K --quiet)
"$edgewise" "${freeze[@]}" --seed 1 --out old.edgewise >/dev/null || fail "freezing itself fails"
"$edgewise" "${freeze[@]}" --seed 2 --out new.edgewise >/dev/null || fail "freezing itself fails"
check_network() {
  cmp -s "$2" old.edgewise || cmp -s "$2" new.edgewise || fail "$1: the network is neither the old one nor the new one"
}
full=0 sizes=0 code=1
for ((room = 0; code != 0 && room < 4000; room += 40)); do
  mount -t tmpfs -o size=$(($(kibibytes old.edgewise) + room))k tmpfs disk 2>/dev/null || break
  cp old.edgewise disk/net.edgewise
  ("$edgewise" "${freeze[@]}" --seed 2 --out disk/net.edgewise >/dev/null 2>error; exit) 2>/dev/null
  code=$?
  case $code in
    0) ;;
    3) full=$((full + 1))
       [ "$(wc -l <error)" -eq 1 ] && grep -q "No space left on device" error ||
         fail "freezing, full disk, $room KiB left: $(cat error)" ;;
    *) fail "freezing, full disk, $room KiB left: code $code: $(cat error)" ;;
  esac
  [ "$(ls -A disk)" = net.edgewise ] || fail "freezing, full disk, $room KiB left: a temporary file is left behind"
  check_network "freezing, full disk, $room KiB left" disk/net.edgewise
  umount disk
  sizes=$((sizes + 1))
done
[ $sizes -gt 0 ] && echo "freezing on a full disk: $full of $sizes sizes were too small"

for call in pwrite posix_fallocate fsync rename; do
  cp old.edgewise net.edgewise
  FAULT_CALL=$call FAULT_AT=0 FAULT_COUNT=count LD_PRELOAD=$interposer \
    "$edgewise" "${freeze[@]}" --seed 2 --out net.edgewise >/dev/null 2>&1
  count=$(cat count)
  [ "$count" -gt 0 ] || fail "freezing does not call $call"
  tries=$((count < 12 ? count : 12))
  for ((i = 1; i <= tries; ++i)); do
    at=$((i * count / tries))
    cp old.edgewise net.edgewise
    FAULT_CALL=$call FAULT_AT=$at LD_PRELOAD=$interposer \
      "$edgewise" "${freeze[@]}" --seed 2 --out net.edgewise >/dev/null 2>error
    code=$?
    [ $code -eq 3 ] && [ "$(wc -l <error)" -eq 1 ] || fail "freezing, $call $at of $count: code $code: $(cat error)"
    check_network "freezing, $call $at" net.edgewise
    [ "$(ls -A | grep -c '^\.')" -eq 0 ] || fail "freezing, $call $at: a temporary file is left behind"
  done
  echo "freezing, $call: $tries of $count calls failed once"
done

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

killed=0
for ((i = 0; i < kills; ++i)); do
  cp old.edgewise net.edgewise
  (timeout -s KILL "$(random)" "$edgewise" "${freeze[@]}" --seed 2 --out net.edgewise >/dev/null 2>&1; exit) 2>/dev/null ||
    killed=$((killed + 1))
  check_network "kill of data freeze $i" net.edgewise
done
"$edgewise" "${freeze[@]}" --seed 2 --out net.edgewise >/dev/null || fail "freezing fails after one that was killed"
[ "$(left_behind)" -le 1 ] && [ "$(ls -A | grep -c '^net')" -eq 1 ] || fail "freezing that was killed leaves files: $(ls -A)"
echo "kill: $kills times data freeze, $killed before it was done"

# One of several processes that share the parts is killed: the others end, and the job goes on from its checkpoint.
ranks=(mpirun --allow-run-as-root --oversubscribe -q -np 3 "$edgewise")
shared=(train new.edgewise --model gat --hidden 4 --heads 1 --threads 1 --epochs 400 --stopping none --quiet)
if [ -e "$(dirname "$edgewise")/edgewise_mpi.so" ] && mpirun --version >/dev/null 2>&1; then
  "$edgewise" "${shared[@]}" --checkpoint whole.c --checkpoint-every 400 --out whole.shared >/dev/null || fail "the shared job itself fails"
  killed=0
  for ((i = 0; i < kills; ++i)); do
    rm -f s s.m
    "${ranks[@]}" "${shared[@]}" --checkpoint s --checkpoint-every 2 --out s.m >/dev/null 2>&1 & launcher=$!
    while kill -0 $launcher 2>/dev/null && [ ! -e s ]; do sleep 0.01; done
    sleep "$(random)"
    rank=$(pgrep -P $launcher -x edgewise | shuf -n 1)
    [ -n "$rank" ] && kill -KILL "$rank"
    wait $launcher || killed=$((killed + 1))
    resume=(); [ -e s ] && resume=(--resume s)
    [ -e s.m ] || "${ranks[@]}" "${shared[@]}" --checkpoint s --out s.m "${resume[@]}" >/dev/null 2>error ||
      fail "kill of a rank $i: $(cat error)"
    cmp -s s.m whole.shared || fail "kill of a rank $i: the resumed training ends in other bits"
  done
  echo "kill: $kills trainings by three processes, $killed of which lost one"
else
  echo "kill: no mpirun, so no ranks"
fi

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
