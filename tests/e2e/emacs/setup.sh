#!/usr/bin/env bash
# What the tests in Emacs need, on Debian: Emacs with both of its clients for language servers.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
PACKAGES="emacs-nox elpa-eglot elpa-lsp-mode elpa-yaml-mode"
mkdir -p "$ROOT/.e2e"
exec 9>"$ROOT/.e2e/emacs.lock"
flock 9

missing=$(for each in $PACKAGES; do dpkg -s "$each" >/dev/null 2>&1 || echo "$each"; done)
[ -z "$missing" ] && exit
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "not installed: $missing" >&2
  exit 3
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update -qq >/dev/null
apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $missing >/dev/null 2>&1
