#!/usr/bin/env bash
# What the tests in VS Code need: VS Code itself, the extension's packages and, on Debian, Chromium.
set -euo pipefail

VERSION=4.100.3 # of code-server, which carries VS Code 1.100.3, the oldest that the extension runs in
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
PLACE=$ROOT/.e2e/vscode-$VERSION
mkdir -p "$ROOT/.e2e"
exec 9>"$ROOT/.e2e/vscode.lock"
flock 9

for each in node npm; do
  command -v "$each" >/dev/null || { echo "$each is not installed: Node 20 or newer is needed" >&2; exit 3; }
done

packages() {
  local stamp=$ROOT/vscode-extension/node_modules/.ready
  [ "$stamp" -nt "$ROOT/vscode-extension/package-lock.json" ] && return
  (cd "$ROOT/vscode-extension" && npm ci --ignore-scripts --silent)
  touch "$stamp"
}

vscode() {
  [ -e "$PLACE/.ready" ] && return
  rm -rf "$PLACE"
  mkdir -p "$PLACE"
  cd "$PLACE"
  npm pack --silent "code-server@$VERSION" >/dev/null
  tar xzf code-server-*.tgz --strip-components=2 package/lib/vscode # what makes it code-server is not needed
  rm code-server-*.tgz
  cd vscode
  # Its scripts would load ripgrep from elsewhere and compile what only terminals and log files use.
  npm install --omit=dev --ignore-scripts --no-audit --no-fund --silent
  mkdir -p rg node_modules/@vscode/ripgrep/bin
  (cd rg && npm pack --silent "@vscode/ripgrep-$(node -p 'process.platform + "-" + process.arch')@1.18.0" >/dev/null && tar xzf ./*.tgz)
  cp rg/package/bin/rg node_modules/@vscode/ripgrep/bin/rg
  rm -r rg
  touch "$PLACE/.ready"
}

browser() {
  command -v chromium >/dev/null && return
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "chromium is not installed: install it, then run make setup-e2e" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o DPkg::Lock::Timeout=300 update -qq >/dev/null
  apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends chromium >/dev/null 2>&1
}

browser &
browser=$!
packages
vscode
wait $browser
