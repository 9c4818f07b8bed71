#!/usr/bin/env bash
# Compares builds of the command line, for changes that are to change nothing: `--help` and `--print-config`, what every
# verb prints as text and as JSON, and the files it writes, on the shipped data sets and on small files of each kind of
# data (docs/files.sh). Times, rates and memory are left out. Records all this in FOLDER if there is no such folder;
# otherwise compares with it, prints what differs, and ends with 1 if anything does.
# Usage: compare_builds.sh EDGEWISE FOLDER
set -u -o pipefail
binary=$(realpath "$1") expected=$(realpath -m "$2")
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/..")
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
[ -e "$expected" ] || { mkdir "$expected" && found=$expected; trap - EXIT; }
edgewise() { "$binary" "$@"; }

# Without what a run must not be compared by: seconds, rates per second, memory, and lines of progress.
without_times() {
  sed -E -e '/^ *[0-9]+% /d' -e 's/"([a-z_]*(_ms|_mib|seconds?))": *([0-9.e+-]+|\[[0-9.e+,-]*\])/"\1": T/g' \
    -e 's/(^|[^0-9.])[0-9]+(\.[0-9]+)? (s|ms|seconds|minutes?|h|MiB|GiB)($|[^a-z])/\1T \3\4/g' \
    -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]+Z?/DATE/g'
}

# Runs one command of the list in the current folder, and appends what it prints.
run() {
  local output
  output=$(eval "edgewise $1" 2>&1 </dev/null)
  printf '%s\n%s\n== %s\n' "\$ edgewise $1" "$output" "$?" >>log
}

F="--edges friends.csv --nodes people.csv --label buys"
S="--epochs 6 --threads 2"
commands() {
  local verb set model few
  for verb in "" train compare tune predict evaluate explain inspect "data list" "data info" "data generate" \
    "data split" "bench attention"; do echo "$verb --help"; done
  "$binary" data list --json | grep -oE '"name": *"[^"]+"' | cut -d'"' -f4 | while read -r set; do
    echo "train $set --print-config"
    echo "train $set --print-config --model gat --set training.epochs=3"
    echo "data info $set"
  done
  echo "data list"
  for set in purchases karate-club hydrophilicity; do
    few="$S" && [ $set != hydrophilicity ] || few="$S --keep-share 0.1"
    echo "inspect $set"
    echo "inspect $set --json"
    echo "compare $set --models mlp,gcn,gat --runs 2 $few --json --log compare-$set.log"
    echo "compare $set --models mlp,gatv2 --shares 0.5,1 --runs 2 $few --chart $set.svg"
    echo "tune $set --models gat,gcn --brackets 1 $few --out tuned-$set.json --log tune-$set.log"
    echo "train $set --runs 2 $few --out $set.safetensors --predictions $set.csv --metrics $set.log --save-splits $set"
    echo "train $set --model gat --json $few --out gat-$set.safetensors"
    echo "evaluate $set.safetensors --json"
    echo "evaluate gat-$set.safetensors"
    echo "predict gat-$set.safetensors --out predicted-$set.csv --embeddings rows-$set.csv"
  done
  echo "compare purchases --config tuned-purchases.json --models gat,mlp --shares 0.3,1 --runs 2 $S"
  echo "tune purchases --config tuned-purchases.json --models gat --brackets 1 $S --json"
  echo "explain gat-purchases.safetensors --node p1 --top 3"
  echo "explain gat-purchases.safetensors --node p1 --by attention --json"
  echo "explain gat-hydrophilicity.safetensors --row 3 --by attention --out row.svg"
  echo "train purchases --model gat $S --checkpoint c --out checked.safetensors"
  echo "train purchases --model gat --epochs 9 --threads 2 --resume c --out resumed.safetensors"
  echo "train purchases --model gat $S --label-input 0.5 --ensemble 2 --out members.safetensors"
  echo "train purchases --model mlp $S --consistency 2 --class-weights balanced --metric macro_f1"
  echo "train $F --weight weight --edge-features weight --model gcn $S --correct-and-smooth always --out cs.safetensors"
  echo "train $F --weight weight --runs 2 $S --json"
  echo "train $F --directed --from cs.safetensors --model gcn $S"
  for model in gat gatv2 bahdanau transformer gcn gcn2 grand sage mlp gat_sep gatv2_sep transformer_sep gps attention \
    window convolution lstm label_propagation boosted_trees neighbour_trees unknown; do
    echo "train $F --weight weight --model $model $S --json --out m.safetensors"
    echo "train $F --model $model --print-config"
    echo "train --molecules tested.csv --target solubility --model $model --epochs 2 --threads 2 --json"
  done
  for model in fingerprint descriptors sum_features boosted_trees; do
    echo "train --molecules tested.csv --target solubility --model $model --json --threads 2 --out $model.safetensors"
    echo "predict $model.safetensors --molecules many.csv --out $model.csv --threads 2"
  done
  echo "train --molecules tested.csv --target solubility,toxic --epochs 2 --descriptors rdkit --degree --random-walk 4"
  echo "train --tu MUTAG $S --json"
  echo "train --graphs recordings.csv --nodes frames.csv --graph-column recording --label digit --order frame $S"
  echo "train --texts reviews.csv --text text --label label $S --json"
  echo "train --nodes tokens.csv --graph-column sentence --order position --head head --label tag $S"
  echo "train --nodes digits.csv --grid 8x8 --label digit --model convolution $S"
  echo "train --nodes signals.csv --sequence --label digit --model attention --mask band:4+offset $S"
  echo "train --config my.json $F $S"
  echo "data split purchases --label buys --out split.csv"
  echo "data generate purchases --nodes 300 --seed 3 --out generated"
  echo "train --edges missing.csv --label buys"
  echo "train $F --label gone"
  echo "train $F --epochs -1"
  echo "train $F --set model.wide=3 --model gat"
}

cd "$found" || exit 1
cp -r "$root/datasets" .
bash "$here/docs/files.sh" "$root/README.md" >/dev/null || { echo "the files could not be made"; exit 1; }
echo '{"model": {"preset": "gatv2", "hidden": 8}}' >my.json
while IFS= read -r command; do run "$command"; done < <(commands)
count=$(grep -c '^[$] edgewise' log)
[ "$found" != "$expected" ] || { echo "$count commands recorded in $expected"; exit 0; }

differences=0
while IFS= read -r file; do
  differences=$((differences + 1))
  if [ ! -e "$found/$file" ] || [ ! -e "$expected/$file" ]; then
    echo "$file: only one of the two builds writes it"
  elif [[ $file == *.safetensors ]]; then
    cmp -s <(LC_ALL=C without_times <"$expected/$file") <(LC_ALL=C without_times <"$found/$file") &&
      differences=$((differences - 1)) || echo "$file: other bytes"
  else
    diff -U2 --label "$file" --label "$file" <(without_times <"$expected/$file") <(without_times <"$found/$file") |
      cut -c1-300 | head -30 && differences=$((differences - 1))
  fi
done < <(cat <(cd "$expected" && find . -type f) <(find . -type f) | grep -v '^./datasets/' | sort -u)
[ "$differences" -eq 0 ] || { echo "$differences files differ, of $count commands"; exit 1; }
echo "$count commands print and write the same"
