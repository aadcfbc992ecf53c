#!/usr/bin/env bash
# Brings what the tests with real editors and engines need, part by part; says at the end what could not be had.
set -uo pipefail

failed=0
for part in "$(dirname "${BASH_SOURCE[0]}")"/*/setup.sh; do
  name=$(basename "$(dirname "$part")")
  if bash "$part"; then
    echo "$name: ready"
  else
    echo "$name: not ready" >&2
    failed=1
  fi
done
exit $failed
