#!/usr/bin/env bash
# The main job on a fresh default: a template is made, listed, checked, explained and run on this machine, each step timed.
set -euo pipefail

aj=${AJ:-aj}
place=$(mktemp -d "${TMPDIR:-/tmp}/aj-demo.XXXXXX")
export XDG_STATE_HOME=$place/state XDG_RUNTIME_DIR=$place/run
unset AJ_HOME AJ_NAME AJ_SID AJ_NOW
mkdir -m 700 "$XDG_RUNTIME_DIR"
mkdir "$place/project"
cd "$place/project"

leave() {
  local note daemon
  for note in "$XDG_STATE_HOME"/aj/*/endpoint.json; do
    [ -e "$note" ] || continue
    daemon=$(sed -n 's/.*"pid": *\([0-9][0-9]*\).*/\1/p' "$note")
    kill "$daemon" 2>/dev/null || continue
    for _ in {1..50}; do
      kill -0 "$daemon" 2>/dev/null || break
      sleep 0.1
    done
  done
  rm -rf "$place"
}
trap leave EXIT

step() {
  local began=${EPOCHREALTIME/[.,]/}
  printf '\n$ aj %s\n' "$*"
  "$aj" "$@" 2>&1
  printf '  (%d ms)\n' $(((${EPOCHREALTIME/[.,]/} - began) / 1000))
}

step init
step list
step check
step show --origins
step explain 'jobs[0].command'
step run --dry-run
step run
step jobs list
