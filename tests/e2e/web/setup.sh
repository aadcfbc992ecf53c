#!/usr/bin/env bash
# What the tests of the daemon's page need, on Debian: Chromium.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
mkdir -p "$ROOT/.e2e"
exec 9>"$ROOT/.e2e/web.lock"
flock 9

for each in chromium chromium-browser google-chrome; do
  command -v "$each" >/dev/null && exit
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Chromium is not installed" >&2
  exit 3
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update -qq >/dev/null
apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends chromium >/dev/null 2>&1
