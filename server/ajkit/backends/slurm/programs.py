"""The bash programs that `Site` runs: a job placed, submitted once, looked up, asked after, stopped."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ajkit.backends.slurm.script import BATCH
from ajkit.shared.job.execution import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.backends.slurm.site import Output, Site
    from ajkit.shared.job.execution import ExecutionError

NO_FOLDER, BUSY, VOID, AWAY, REFUSED, NO_SLURM = 70, 71, 72, 73, 74, 75
"""How a program ends when it did not do what it is for.

The folder cannot be made; another program holds it; a look-up came in between; the controller does not answer; sbatch
said no; there are no commands of Slurm.
"""

_LOCK_SECONDS = 20
_PING_SECONDS = 5


def place(folder: str, ticket: str) -> str:
    """Lay out a job's folder with the code that comes as a tar file on standard input; prints its absolute path.

    `folder` is a bash word. Nothing is unpacked twice over a job that has been handed over.
    """
    return f"""\
umask 077
mkdir -p {folder}/logs && cd {folder} && pwd -P || return {NO_FOLDER}
if [ ! -s id ]; then
  new=code.$$
  rm -rf code code.[0-9]* && mkdir "$new" && tar -xf - -C "$new" && mv "$new" code || return {NO_FOLDER}
fi
echo {ticket} >"ticket.$$" && mv "ticket.$$" ticket || return {NO_FOLDER}"""


def submit(folder: str, ticket: str, files: Mapping[str, str], values: Mapping[str, str]) -> str:
    """Hand a placed job to sbatch and print the id; where it has been handed over, print the id alone.

    Under the lock only the newest ticket counts: a program that is left of a daemon that died, and comes late, finds
    that the job was looked up meanwhile and does nothing. The `values` become variables of sbatch's own process, which
    ``--export=ALL`` hands to the job: they are in no argument and no file. An sbatch that was killed has said no no.
    """
    written = "\n".join(f"printf %s {shlex.quote(text)} >{shlex.quote(name)}" for name, text in files.items())
    exports = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in values.items())
    return f"""\
umask 077
cd {shlex.quote(folder)} || return {NO_FOLDER}
{_locked()}
[ "$(cat ticket)" = {ticket} ] || return {VOID}
if [ -s id ]; then cat id; return 0; fi
sbatch=$(command -v sbatch) || return {NO_SLURM}
{_answering()}
{written} || return {NO_FOLDER}
{_own_variables()}
{exports}
id=$("$sbatch" --parsable {BATCH} </dev/null) || return $(($? > 128 ? $? : {REFUSED}))
id=${{id%%;*}}
echo "$id" >id
echo "$id\""""


def find(folder: str, token: str) -> str:
    """Print the id of the job with a name, or nothing; submissions that are still on their way are made void first.

    `folder` is a bash word. Looked at are what a submission wrote down, what the job itself did, Slurm's queue, and
    its accounting where it has one.
    """
    return f"""\
umask 077
mkdir -p {folder} && cd {folder} || return {NO_FOLDER}
{_locked()}
echo void >ticket || return {NO_FOLDER}
for each in id claim; do
  if [ -s "$each" ]; then cat "$each"; return 0; fi
done
command -v squeue >/dev/null || return {NO_SLURM}
{_answering()}
ids=$(squeue --noheader --states=all --name={token} --format=%A) || return {AWAY}
if [ -z "$ids" ] && command -v sacct >/dev/null; then
  if ! ids=$(sacct --allocations --noheader --parsable2 --name={token} --starttime=now-60days --format=JobIDRaw 2>&1)
  then
    case $ids in *"storage is disabled"*) ids= ;; *) echo "$ids" >&2; return {AWAY} ;; esac
  fi
fi
echo "$ids" | sort -n | sed -n '/^[0-9]/{{s/[^0-9].*//;p;q}}' | tee id"""


def ask(folder: str, backend_id: str) -> str:
    """Print what Slurm says of a job, its accounting where Slurm has forgotten it, and what the job wrote itself."""
    return f"""\
command -v scontrol >/dev/null || return {NO_SLURM}
kept=
told=$(scontrol --oneliner show job {backend_id} 2>&1) || case $told in
  *"Invalid job id"*)
    told=
    command -v sacct >/dev/null &&
      kept=$(sacct --allocations --noheader --parsable2 --jobs={backend_id} --format=State,ExitCode 2>/dev/null) ;;
  *) echo "$told" >&2; return {AWAY} ;;
esac
echo "$told" | sed -n 's/^JobId=/queue &/p'
[ -z "$kept" ] || echo "account $kept"
[ ! -s {shlex.quote(folder)}/result ] || echo "result $(cat {shlex.quote(folder)}/result)\""""


def stop(backend_id: str) -> str:
    """Ask Slurm to end a job, all of its components and processes."""
    return f"""\
command -v scancel >/dev/null || return {NO_SLURM}
told=$(scancel {backend_id} 2>&1) || case $told in
  *"Invalid job id"*|*"already complet"*) ;;
  *) echo "$told" >&2; return {AWAY} ;;
esac"""


def remove(folder: str) -> str:
    """Remove the folder of a job, there or not."""
    return f"rm -rf -- {shlex.quote(folder)}"


def opinion(script: str) -> str:
    """Ask sbatch what it would do with a script, without submitting it; what it says comes as errors."""
    return f"""\
sbatch=$(command -v sbatch) || return {NO_SLURM}
{_answering()}
{_own_variables()}
printf %s {shlex.quote(script)} | "$sbatch" --test-only || return {REFUSED}"""


def list_logs(folder: str) -> str:
    """Print the name and size of every log of a job."""
    return f"cd {shlex.quote(folder)}/logs 2>/dev/null || return 0\nwc -c -- *.log 2>/dev/null || :"


def list_queue() -> str:
    """Print a line for each of the user's jobs that Slurm has in its queue: id, state and reason."""
    return f"""\
command -v squeue >/dev/null || return {NO_SLURM}
{_answering()}
squeue --noheader --user="$(id -un)" --format='%A %T %r' || return {AWAY}"""


def list_values(command: str) -> str:
    """Print what a command of Slurm lists; nothing where it is about accounts and the cluster keeps none."""
    return f"""\
command -v sinfo >/dev/null || return {NO_SLURM}
{_answering()}
told=$({command} 2>&1) || case $told in
  *"accounting_storage plugin"*|*"storage is disabled"*) told= ;;
  *) echo "$told" >&2; return {AWAY} ;;
esac
echo "$told\""""


def expect_done(site: Site, said: Output, cut_short: type[ExecutionError] = Unavailable) -> None:
    """Make what a program ended with into what it means.

    Raises:
        Unavailable: it did not do what it is for.
        ExecutionError: the one that is `cut_short`: it ended in a way that is none of its own, somewhere in the middle.
    """
    meanings = {
        NO_FOLDER: f"the job's folder cannot be laid out there: {said.errors}",
        BUSY: "a submission of this job is still on its way",
        VOID: "the job was looked up while it was handed over",
        AWAY: f"the controller does not answer {said.errors}".rstrip(),
        NO_SLURM: "there are no commands of Slurm (sbatch, squeue, scontrol) on the PATH",
    }
    if said.code in meanings:
        raise Unavailable(f"{site}: {meanings[said.code]}")
    if said.code != 0:
        raise cut_short(f"{site}: {said.errors or f'bash ended with {said.code}'}")


def _locked() -> str:
    return f"exec 9>>lock; flock -w {_LOCK_SECONDS} 9 || return {BUSY}"


def _answering() -> str:
    """A look whether the controller is up: sbatch itself would wait for it for a minute, its answer then unknown."""
    return f'case $(timeout {_PING_SECONDS} scontrol ping 2>&1) in *" UP"*) ;; *) return {AWAY} ;; esac'


def _own_variables() -> str:
    """Take away what would be an option of sbatch, or of another job that this program runs in."""
    return "for each in ${!SBATCH_@} ${!SLURM_@}; do [ $each = SLURM_CONF ] || unset $each; done"
