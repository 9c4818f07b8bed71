#!/usr/bin/env bash
# Makes a site of this guide: build-docs/site/index.html, which also opens from the disk. Installs MkDocs and its theme
# from PyPI into build-docs/environment; if that fails, ends with code 77. The reference of the C++ library needs
# `apt-get install doxygen`.
set -eu
cd "$(dirname "$0")/.."
environment=build-docs/environment
if ! [ -x $environment/bin/mkdocs ]; then
  mkdir -p build-docs
  "${PYTHON:-python3}" -m venv $environment
  $environment/bin/pip install -q --disable-pip-version-check -r docs/requirements.txt || {
    echo "MkDocs could not be installed from PyPI"
    exit 77
  }
fi
rm -rf build-docs/html
if command -v doxygen >/dev/null; then
  doxygen docs/Doxyfile
else
  echo "The site is without the reference of the C++ library: there is no Doxygen (apt-get install doxygen)"
fi
# With --quiet, --strict would notice nothing.
NO_MKDOCS_2_WARNING=1 $environment/bin/mkdocs build --strict --config-file docs/mkdocs.yml >build-docs/log 2>&1 || {
  grep -v '^INFO' build-docs/log
  exit 1
}
echo "Open build-docs/site/index.html; to search in it, serve it: python3 -m http.server -d build-docs/site"
