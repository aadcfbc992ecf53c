#!/usr/bin/env bash
# Brings Ray into an environment of its own, below .e2e: 384 MB, a minute.
set -euo pipefail

unavailable=3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
home=$root/.e2e/ray
[ -e "$home/.ready" ] && exit 0
mkdir -p "$root/.e2e"
exec 9>"$root/.e2e/ray.lock"
flock 9
[ -e "$home/.ready" ] && exit 0
rm -rf "$home"
python3 -m venv "$home"
if ! "$home/bin/python" -m pip --disable-pip-version-check --no-input install -q 'ray[default]==2.60.*' >&2; then
  echo "Ray 2.60 has nothing for this Python ($(python3 --version)) and machine" >&2
  exit $unavailable
fi
touch "$home/.ready"
