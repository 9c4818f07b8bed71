#!/usr/bin/env bash
# Runs the commands that the guide shows, as written, page by page, on small files with the names that it uses
# (files.sh). A command that takes longer than LIMIT seconds (default 1) is interrupted as by Ctrl-C, and must then end
# with the code for that. Commands on sets of the catalogue that are not on this machine are skipped. The pages of
# docs/benchmarks/ are left out, because they take days.
# Usage: run.sh EDGEWISE   (the binary)
set -u -o pipefail
binary=$(realpath "$1") limit=${LIMIT:-1}
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../..")
pages=(README.md docs/{first-hour,classify-nodes,molecules,any-mask,pairs,report,datasets,formats,models}.md
  docs/command-line/{train,model-choice,compare,tune,predict,evaluate,explain,inspect,splits,data-flags,data,bench}.md
  docs/{links,kinds,reactions,mixtures,atoms}.md docs/{library,extending,scale,security}.md)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ran=0 cut=0 skipped=0 failures=0

# An interrupted training first finishes its epoch, which takes seconds on a big set, and longer on a busy machine.
# Without --foreground, timeout sends each signal twice, as if Ctrl-C were pressed again to end at once.
edgewise() { timeout --foreground --preserve-status --signal=INT "$limit" "$binary" "$@"; }
# Without graphviz, the picture is not drawn.
type neato >/dev/null 2>&1 || neato() { cat >/dev/null; }

# The lines of a page that are meant for a shell: all lines of a block that begins with a command, the `$ ` lines of a
# block that also shows output, indented lines, and commands in a sentence or a table, except those that name no file or
# value (NAME, x) or end in a flag without its value.
commands() {
  sed -e ':join' -e '/\\$/ {N; s/\\\n//; b join' -e '}' "$1" | awk '
    /^```/ { is_code = !is_code; is_first = is_code && $0 == "```"; is_shell = 0; next }
    is_first { is_first = 0; is_shell = /^(edgewise [a-z]+ [^|]|edgewise version|cp |export |head |mkdir )/ }
    is_code && is_shell
    is_code { if (/^\$ (edgewise|head) /) print substr($0, 3); next }
    /^    edgewise [a-z]/ { if (!seen[substr($0, 5)]++) print substr($0, 5); next }
    { while (match($0, /`edgewise ([a-z]+ [^`]+|version)`/)) {
        command = substr($0, RSTART + 1, RLENGTH - 2)
        $0 = substr($0, RSTART + RLENGTH)
        if (!seen[command]++ && command !~ /[A-Z][A-Z]|\[| x( |$)|--[a-z]+$/) print command
      } }'
}

# Runs a command in this shell, so that its `cd` counts for the next one.
run() {
  local page=$1 command=$2 code word words
  read -ra words <<<"$command"
  for word in "${words[@]}"; do
    [[ $missing == *" $word "* ]] && { skipped=$((skipped + 1)); return; }
  done
  local seconds=$limit limit model=
  [[ $command =~ ' --out '([^ ]+) ]] && model=${BASH_REMATCH[1]}
  # What is interrupted before it has a model to write, on a busy machine, gets more time: later commands read the model.
  for ((limit = seconds; limit <= 32 * seconds; limit *= 2)); do
    eval "$command" >"$folder/output" 2>&1 </dev/null
    code=$?
    [[ $code == 130 && -n $model && ! -e $model ]] || break
  done
  ran=$((ran + 1))
  case $code in
    0) ;;
    130) cut=$((cut + 1)) ;;
    *)
      failures=$((failures + 1))
      printf '%s: %s\n  ended with code %s:\n' "$page" "$command" "$code"
      tail -n 3 "$folder/output" | cut -c 1-300 | sed 's/^/  /'
      ;;
  esac
}

missing=" $("$binary" data list | awk '/ missing +-/ {printf "%s ", $1}')"
for page in "${pages[@]}"; do
  HOME=$folder/$(basename "$page" .md)
  [[ $page == */command-line/* ]] && HOME=$folder/command-line  # one folder: later pages use the models of earlier ones
  export HOME
  if [ ! -d "$HOME" ]; then
    mkdir "$HOME"
    cp -r "$root/datasets" "$HOME"
    (cd "$HOME" && bash "$here/files.sh" "$root/$page") || { echo "$page: its files could not be made"; exit 1; }
  fi
  cd "$HOME" || exit 1
  command=
  while IFS= read -r -u 3 line; do
    command+=$line
    # A command may go on in the next line, after `{` or a pipe.
    bash -n <<<"$command" 2>/dev/null || { command+=$'\n'; continue; }
    run "$page" "$command"
    command=
  done 3< <(commands "$root/$page")
  [ -z "$command" ] || { echo "$page: no end of: $command"; failures=$((failures + 1)); }
done

[ "$skipped" -eq 0 ] || echo "$skipped commands skipped: EDGEWISE_DATA names no folder with their data sets"
[ "$failures" -eq 0 ] || { echo "$failures of $ran commands of the guide do not run"; exit 1; }
echo "$ran commands of the guide ran, $cut of them interrupted after $limit s; $skipped skipped"
