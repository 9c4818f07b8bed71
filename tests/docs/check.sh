#!/usr/bin/env bash
# Checks the guide: the files and headings that it links to exist, its site has a way to each page, the flags of its
# commands exist, its tables of flags are those of --help, its bar chart is that of its table, and the programs that it
# quotes match word for word.
# Usage: check.sh EDGEWISE   (the binary)
set -u
edgewise=$(realpath "$1")
cd "$(dirname "$0")/../.."
pages=(README.md lib/README.md docs/*.md docs/*/*.md datasets/*/README.md)
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

# The anchor of each heading, as on GitHub.
anchors() {
  awk '/^```/ {code = !code} !code && /^#+ / {sub(/^#+ /, ""); print tolower($0)}' "$1" |
    sed -E 's/[^[:alnum:] _-]//g; s/ /-/g'
}

for page in "${pages[@]}"; do
  folder=$(dirname "$page")
  while read -r link; do
    case $link in http://* | https://* | "") continue ;; esac
    file=${link%%#*} anchor=
    [[ $link == *#* ]] && anchor=${link#*#}
    target=$page
    [ -n "$file" ] && target=$folder/$file
    if [ ! -e "$target" ]; then
      fail "$page: link to $link: there is no $target"
    elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF -- "$anchor"; then
      fail "$page: link to $link: $target has no such heading"
    fi
  done < <(awk '/^```/ {code = !code} !code' "$page" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//')
done

for page in docs/*.md docs/*/*.md; do
  grep -q -- "[- ]$page\$" docs/mkdocs.yml || fail "$page is not in the navigation of docs/mkdocs.yml"
done

# Flags: `edgewise VERB ...` in code, with continued lines joined. A sub-verb (data list) has its own help.
declare -A help
while IFS=$'\t' read -r page command; do
  read -ra words <<<"$command"
  verb=${words[1]:-}
  [[ $verb =~ ^[a-z]+$ ]] || continue
  key=$verb
  [ "$verb" = data ] && [[ ${words[2]:-} =~ ^[a-z]+$ ]] && key="data ${words[2]}"
  if [ -z "${help[$key]:-}" ]; then
    # shellcheck disable=SC2086  # two words
    help[$key]=$("$edgewise" $key --help 2>&1) || { fail "$page: edgewise $key is no verb"; help[$key]=none; }
  fi
  for word in "${words[@]:2}"; do
    [[ $word =~ ^--[a-z] ]] || continue
    grep -qE -- "(^|[ ,])${word%%=*}([ ,]|$)" <<<"${help[$key]}" || fail "$page: edgewise $key has no $word"
  done
done < <(for page in "${pages[@]}"; do
  sed -e ':join' -e '/\\$/ {N; s/\\\n//; b join' -e '}' "$page" |
    grep -oE '(^|[`$ ])edgewise (train|predict|evaluate|explain|inspect|data|version)[^`|;]*' |
    sed -E "s|^[^e]*|$page\t|"
done)

python3 docs/bar_chart.py --check || fail "the bar chart is not that of its table"
python3 docs/flag_tables.py "$edgewise" --check || fail "the pages of the command line do not have all its flags"

# Quoted programs: <!-- quote FILE -->, a fenced block, <!-- /quote -->.
for page in "${pages[@]}"; do
  while read -r file; do
    quoted=$(awk -v start="<!-- quote $file -->" '
      $0 == start {inside = 1; next} $0 == "<!-- /quote -->" {inside = 0} inside && !/^```/' "$page")
    [ "$quoted" = "$(cat "$file")" ] || fail "$page: the quotation of $file is not what the file says"
  done < <(sed -n 's/^<!-- quote \(.*\) -->$/\1/p' "$page")
done

[ "$failures" -eq 0 ] || { echo "$failures things in the guide do not exist"; exit 1; }
