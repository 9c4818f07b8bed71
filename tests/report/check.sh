#!/usr/bin/env bash
# Opens the pages of all verbs in headless Chromium: none may write to the console or ask for anything on a network.
# That this is noticed is tested first. Ends with code 77 (skipped) if there is no Chromium.
# Usage: check.sh EDGEWISE   (the binary)
set -u
edgewise=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "skipped: there is no Chromium (apt-get install chromium)"
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

# What page $1 writes to the console, and what it asks for beyond files. The browser's own questions have another origin
# than the page, and no host is found.
complaints_of() {
  rm -f net.json
  timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --host-resolver-rules="MAP * ~NOTFOUND" \
    --user-data-dir="$folder/profile" --enable-logging=stderr --log-net-log="$folder/net.json" \
    --net-log-capture-mode=IncludeSensitive --virtual-time-budget=2000 --screenshot="$folder/page.png" \
    --window-size="${2:-1200},2000" "file://$folder/$1" >browser.log 2>&1
  [ -s page.png ] || { echo "$1 was not drawn"; tail -n 3 browser.log; }
  rm -f page.png
  grep -o 'CONSOLE.*' browser.log
  grep '"network_isolation_key":"file://' net.json | grep -oE '"url":"(https?|wss?|ftp)://[^"]*"' | sort -u
}

echo '<!DOCTYPE html><title>bad</title><img src="http://127.0.0.1:9/asked-for.png"><script>throw 1</script>' >bad.html
bad=$(complaints_of bad.html)
[[ $bad == *CONSOLE* && $bad == *asked-for.png* ]] || { echo "a bad page was not noticed: $bad"; exit 1; }

run() {
  "$edgewise" "$@" --quiet >run.log 2>&1 || fail "edgewise $* ended with code $?: $(tail -n 1 run.log)"
}
people=(--edges "$root/datasets/purchases/friends.csv" --nodes "$root/datasets/purchases/people.csv" --label buys)
molecules=(--molecules "$root/datasets/hydrophilicity/molecules.csv" --target logp,tpsa)
run train "${people[@]}" --model sage --epochs 20 --out model.safetensors --report train.html
run train "${molecules[@]}" --model sage --epochs 2 --out molecules.safetensors --report molecules.html
run evaluate model.safetensors --report evaluate.html
run predict model.safetensors --out predictions.csv --report predict.html
run compare "${people[@]}" --models mlp,sage --runs 2 --epochs 5 --report compare.html
run compare "${people[@]}" --models mlp,sage --runs 2 --epochs 5 --shares 0.1,1 --report shares.html
run tune "${people[@]}" --models mlp --brackets 1 --epochs 9 --report tune.html
run bench attention --nodes 64,128 --density 0.1,1 --repeats 1 --time 0.001 --html bench.html

for page in train molecules evaluate predict compare shares tune bench; do
  for width in 1200 400; do
    complaints=$(complaints_of "$page.html" "$width")
    [ -z "$complaints" ] || fail "$page.html: $complaints"
  done
done
[ "$failures" -eq 0 ] || { echo "$failures pages do not stand for themselves"; exit 1; }
