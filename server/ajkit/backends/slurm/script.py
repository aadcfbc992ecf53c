"""What Slurm is handed: the batch script, the program of each process, and the job's own script."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ajkit.shared.job.slots import ranked, script
from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.backends.slurm.describe import SlurmOpts
    from ajkit.shared.job.slots import Slot
    from ajkit.shared.job.spec import JobSpec

BATCH, PROCESS = "job.sbatch", "process.sh"
BATCH_LOG = "batch"
TIMED_OUT, LATE = 124, "late"
_KILL_AFTER = 30
_RENDEZVOUS = ("MASTER_ADDR", "MASTER_PORT")


@dataclass(frozen=True, slots=True)
class Part:
    """Like nodes of a job: one component of a heterogeneous Slurm job, or all of a plain one.

    `file` is the script its processes run; `node` and `rank` are those of its first process.
    """

    file: str
    nodes: int
    processes: int
    gpus: int
    cpus: int | None
    memory: str | None
    partition: str | None
    constraint: str | None
    node: int
    rank: int


def parts(spec: JobSpec, options: SlurmOpts) -> list[Part]:
    """The components of a job, in rank order."""
    if not options.tasks:
        size = (spec.nodes, spec.processes_per_node, spec.gpus_per_node, options.cpus_per_node, options.memory)
        return [Part("script.sh", *size, options.partition, options.constraint, 0, 0)]
    found: list[Part] = []
    node = rank = 0
    for name, task in options.tasks.items():
        size = (task.replicas, task.processes_per_node, task.gpus_per_node, task.cpus_per_node, task.memory)
        where = (task.partition or options.partition, task.constraint or options.constraint)
        found.append(Part(f"script-{name}.sh" if task.command else "script.sh", *size, *where, node, rank))
        node += task.replicas
        rank += task.replicas * task.processes_per_node
    return found


def processes(spec: JobSpec, options: SlurmOpts) -> list[Slot]:
    """The processes of a job in rank order, each with the name of its log."""
    return ranked([(each.nodes, each.processes) for each in parts(spec, options)])


def files(spec: JobSpec, options: SlurmOpts, token: str, folder: str) -> dict[str, str]:
    """The files that are put into a job's folder, by name. `folder` is its absolute path on the nodes."""
    components = parts(spec, options)
    scripts = {} if options.tasks else {"script.sh": script(spec)}
    for each, task in zip(components, options.tasks.values(), strict=False):
        scripts[each.file] = script(spec, "\n".join(task.command) or None)
    return {
        BATCH: "".join(f"{each}\n" for each in _batch(spec, options, token, folder)),
        PROCESS: _process(spec, folder, sum(each.nodes * each.processes for each in components)),
        **scripts,
    }


def _batch(spec: JobSpec, options: SlurmOpts, token: str, folder: str) -> Iterator[str]:
    """The batch script: what holds for the whole job, then each component, then what the first node does."""
    yield "#!/bin/bash"
    yield f"# {spec.name}, made by aj from the template {spec.template_name}."
    first, *others = parts(spec, options)
    yield from (f"#SBATCH {each}" for each in _whole(spec, options, token, folder))
    yield from (f"#SBATCH {each}" for each in _size(first, options))
    for each in others:
        yield "#SBATCH hetjob"
        # A component takes over nothing from the first one but the name, the environment and the places.
        yield from (f"#SBATCH {line}" for line in (*_shared(spec, options), *_size(each, options)))
    yield from _body(spec, options, folder)


def _whole(spec: JobSpec, options: SlurmOpts, token: str, folder: str) -> Iterator[str]:
    # The name is how the job is found again; accounting may drop comments, but never names.
    yield f"--job-name={token}"
    yield f"--comment={shlex.quote(spec.name)}"
    yield f"--chdir={shlex.quote(f'{folder}/code')}"
    yield f"--output={shlex.quote(f'{folder}/logs/{BATCH_LOG}.log'.replace('%', '%%'))}"
    yield "--open-mode=append"
    yield "--export=ALL"
    yield from _shared(spec, options)


def _shared(spec: JobSpec, options: SlurmOpts) -> Iterator[str]:
    for name, value in (("account", options.account), ("qos", options.qos)):
        if value is not None:
            yield f"--{name}={value}"
    if spec.time_limit_seconds is not None:
        yield f"--time={_minutes(spec.time_limit_seconds)}"


def _size(part: Part, options: SlurmOpts) -> Iterator[str]:
    for name, value in (("partition", part.partition), ("constraint", part.constraint)):
        if value is not None:
            yield f"--{name}={value}"
    yield f"--nodes={part.nodes}"
    yield f"--ntasks-per-node={part.processes}"
    if part.cpus is not None:
        yield f"--cpus-per-task={_cpus(part)}"
    if part.memory is not None:
        yield f"--mem={part.memory}"
    if part.gpus:
        yield f"--gres={options.gres}:{part.gpus}"


def _cpus(part: Part) -> int:
    """CPUs of each process of a component that says how many a node has."""
    return max(1, (part.cpus or 1) // part.processes)


def _minutes(seconds: int) -> str:
    """A time limit as Slurm writes it. It counts in minutes, so that the part of one is a whole one."""
    minutes = -(-seconds // 60)
    days, left = divmod(minutes, 24 * 60)
    return f"{days}-{left // 60:02}:{left % 60:02}:00"


def _body(spec: JobSpec, options: SlurmOpts, folder: str) -> Iterator[str]:
    """What the first node does: find the place to meet, start every process, write down how it ended."""
    yield ""
    yield f"folder={shlex.quote(folder)}"
    yield _CLAIM
    if options.modules:
        yield _MODULES
        yield f"module load {' '.join(options.modules)} || exit 1"
        yield ""
    wanted = [each for each in _RENDEZVOUS if each not in spec.env]
    if wanted:
        yield "# Where the processes meet: the first node, by the address at which Slurm itself reaches it."
        yield from (_MEETING[each] for each in wanted)
    yield "export PYTHONUNBUFFERED=1"
    yield ""
    yield "code=0"
    yield from _start(spec, options)
    yield '[ -s "$folder/failed" ] && code=$(<"$folder/failed")'
    if spec.time_limit_seconds:
        yield f'[ "$SECONDS" -ge {spec.time_limit_seconds} ] && [ "$code" != 0 ] && code="{TIMED_OUT} {LATE}"'
    yield 'echo "$code" >"$folder/result"'
    yield 'exit "${code%% *}"'


def _start(spec: JobSpec, options: SlurmOpts) -> Iterator[str]:
    components = parts(spec, options)
    limit = f"timeout --kill-after={_KILL_AFTER} {spec.time_limit_seconds} " if spec.time_limit_seconds else ""
    yield f"{limit}srun --kill-on-bad-exit=1 --distribution=block \\"
    for at, each in enumerate(components):
        words = [f"--het-group={at}"] if len(components) > 1 else []
        # srun does not take this over from the job (since Slurm 22.05).
        words += [f"--cpus-per-task={_cpus(each)}"] if each.cpus is not None else []
        words += ["bash", f'"$folder/{PROCESS}"', each.file, str(each.node), str(each.rank), str(each.processes)]
        last = "</dev/null || code=$?" if each is components[-1] else ": \\"
        yield f"  {' '.join(words)} {last}"


def _process(spec: JobSpec, folder: str, total: int) -> str:
    """The program of each process: its place among the others, its log, then the job's script."""
    places = {
        "NODE_RANK": "$SLURM_NODEID",
        "RANK": "$((first_rank + (SLURM_NODEID - first_node) * per_node + SLURM_LOCALID))",
        "LOCAL_RANK": "$SLURM_LOCALID",
        "LOCAL_WORLD_SIZE": "$per_node",
        "WORLD_SIZE": str(total),
    }
    lines = [f"export {name}={value}" for name, value in places.items() if name not in spec.env]
    return _PROCESS.format(places="\n".join(lines), folder=shlex.quote(folder))


_CLAIM = """
# Should the job have reached Slurm twice, it runs once. Put back into the queue, it keeps its id.
(set -o noclobber && echo "$SLURM_JOB_ID" >"$folder/claim") 2>/dev/null
[ "$(<"$folder/claim")" = "$SLURM_JOB_ID" ] || exit 1
rm -f "$folder/result" "$folder/failed"
"""

_MODULES = """\
if ! type module >/dev/null 2>&1; then
  for each in /etc/profile.d/*modules*.sh /etc/profile.d/*lmod*.sh; do
    [ -r "$each" ] && source "$each"
  done
fi"""

_MEETING = {
    "MASTER_ADDR": """\
first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
MASTER_ADDR=$(scontrol -o show node "$first" | sed -n 's/.* NodeAddr=\\([^ ]*\\).*/\\1/p')
export MASTER_ADDR=${MASTER_ADDR:-$first}""",
    "MASTER_PORT": """\
MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
while (: >"/dev/tcp/127.0.0.1/$MASTER_PORT") 2>/dev/null; do MASTER_PORT=$((MASTER_PORT + 1)); done
export MASTER_PORT""",
}

_PROCESS = """\
#!/bin/bash
# One process: ‹script› ‹rank of its first node› ‹rank of its first process› ‹processes on each node›
first_node=$2 first_rank=$3 per_node=$4
export AJ_NODE_RANK=$SLURM_NODEID
{places}
name=node-$SLURM_NODEID
[ "$per_node" = 1 ] || name=$name.$SLURM_LOCALID
# Its own script gets the signals of Slurm; what is left here writes down who failed first.
trap : HUP INT TERM USR1 USR2
bash {folder}/"$1" >>{folder}/logs/"$name".log 2>&1
code=$?
[ "$code" = 0 ] || (set -o noclobber && echo "$code $name" >{folder}/failed) 2>/dev/null
exit "$code"
"""
