#!/usr/bin/env bash
# Brings Slurm and munge, from Debian's packages, for the tests that run jobs on a real cluster.
set -euo pipefail

unavailable=3
command -v slurmctld >/dev/null && command -v munged >/dev/null && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Slurm comes from Debian's packages, which only root installs: apt-get install slurm-wlm munge" >&2
  exit $unavailable
fi
export DEBIAN_FRONTEND=noninteractive
wait=(-o DPkg::Lock::Timeout=300)
apt-get "${wait[@]}" -qq update
apt-get "${wait[@]}" -qq install -y --no-install-recommends slurm-wlm munge >/dev/null
