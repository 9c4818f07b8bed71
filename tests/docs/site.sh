#!/usr/bin/env bash
# Builds the site of the guide in strict mode and looks at what came out (site.py). Skipped if MkDocs cannot be had.
set -eu
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../..")
bash "$root/docs/build.sh" || {
  code=$?
  [ $code -eq 77 ] && { echo "skipped: the site of the guide"; exit 0; }
  exit $code
}
python3 "$here/site.py" "$root/build-docs/site"
