#!/usr/bin/env bash
# The main job on a fresh default: a template is made, checked, explained and run on this machine. Each step says its time.
set -euo pipefail

aj=${AJ:-aj}
place=$(mktemp -d "${TMPDIR:-/tmp}/aj-demo.XXXXXX")
trap 'rm -rf "$place"' EXIT
mkdir "$place/project"
cd "$place/project"
unset AJ_HOME AJ_NAME AJ_SID AJ_NOW

step() {
  local began ended
  printf '\n$ aj %s\n' "$*"
  began=$(date +%s%N)
  "$aj" "$@"
  ended=$(date +%s%N)
  printf '  (%d ms)\n' $(((ended - began) / 1000000))
}

step init
step list
step check
step show
step explain jobs[0].command
step run --dry-run
step run
step jobs list
