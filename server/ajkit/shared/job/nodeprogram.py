"""The bash program that starts the processes of one node, on engines that start one program on each node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

GRACE_SECONDS = 10
"""How long processes have to end by themselves once one of their node has failed, or the job is being stopped."""


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Some like nodes of a job, in rank order, and what their processes must know of the others.

    `first_node` and `first_rank`: the node rank and the process rank at which the group begins; `processes`: launcher
    processes on each of its nodes; `world`: all processes of the job. `master` and `port` are bash words that give the
    address of node 0 and a port there; `index` is one that gives the place of a node in its group.
    """

    index: str
    master: str
    port: str
    processes: int
    world: int
    first_node: int = 0
    first_rank: int = 0


@dataclass(frozen=True, slots=True)
class NodeProgram:
    """The three texts that run on a node: `program` is started, and reads the other two from beside it."""

    program: str
    setup: str
    command: str

    SETUP = "setup.sh"
    COMMAND = "command.sh"


def node_program(
    group: NodeGroup,
    *,
    setup: Sequence[str],
    command: str,
    given: Collection[str],
    before: Sequence[str],
    exports: Sequence[str] = (),
) -> NodeProgram:
    """What a node of a group runs.

    The setup lines run once on each node, in the shell that the processes are forked from: what they export, define or
    activate is there for the command. The first process that fails stops the others of its node and gives the code.

    Args:
        group: which nodes.
        setup: the shell lines before the command.
        command: the script of each process.
        given: the variables that the template sets; they win over the rendezvous.
        before: lines of the engine, with ``$aj`` the folder of the texts: they lay out the code and enter it, and call
            ``aj_fail`` where they cannot.
        exports: further lines that set variables, after the rendezvous.
    """
    rendezvous = {
        "NODE_RANK": '"$AJ_NODE_RANK"',
        "LOCAL_WORLD_SIZE": str(group.processes),
        "WORLD_SIZE": str(group.world),
        "MASTER_ADDR": group.master,
        "MASTER_PORT": group.port,
    }
    ranks = {"RANK": f"$(({group.first_rank} + aj_index * {group.processes} + $1))", "LOCAL_RANK": '"$1"'}
    lines = [
        _HEAD,
        *before,
        "",
        f"aj_index={group.index}",
        f"export AJ_NODE_RANK=$(({group.first_node} + aj_index))",
        *(f"export {name}={value}" for name, value in rendezvous.items() if name not in given),
        *exports,
        "",
        "aj_slot() {",
        *(f"  export {name}={value}" for name, value in ranks.items() if name not in given),
        _SLOT.replace("‹grace›", str(GRACE_SECONDS)),
        f"for ((aj_next = 0; aj_next < {group.processes}; aj_next++)); do",
        _TAIL.replace("‹grace›", str(GRACE_SECONDS)),
    ]
    return NodeProgram(
        program="\n".join(lines), setup="".join(f"{line}\n" for line in setup), command=f"{command.rstrip()}\n"
    )


_HEAD = """\
#!/bin/bash
# Starts the processes of one node of a job: the setup lines once, then the command in every process.
aj=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
aj_fail() { echo "aj: $*" >&2; exit 1; }
"""

_SLOT = """\
  trap : TERM
  (eval "$aj_options"; . "$aj/command.sh")
  local code=$?
  if ((code)) && (set -o noclobber; echo "$code" >"$aj_state/failed") 2>/dev/null; then kill -TERM "$aj_node"; fi
}

# A process group for each process, so that all of it can be told to stop.
aj_stop() {
  local pid
  for pid in "${aj_pids[@]}"; do kill "-$1" -- "-$pid" 2>/dev/null; done
}

aj_state=$(mktemp -d) || aj_fail "no temporary folder can be made"
# Asked once, and made to after a while; a process that ends because it was asked tells of its failure all the same.
aj_end() {
  ((aj_stopped++)) && return
  aj_stop TERM
  (trap - TERM; sleep ‹grace›; aj_stop KILL) </dev/null >/dev/null 2>&1 &
  aj_killer=$!
  disown "$aj_killer"
}

aj_node=$$ aj_pids=() aj_stopped=0 aj_asked=0 aj_killer=
. "$aj/setup.sh"
aj_options=$(set +o)
# A command substitution forgets this one.
[[ $- = *e* ]] && aj_options+=$'\\nset -e'
set +eu
# Put off: to end what is there would hide from `$!` who was started last.
trap aj_asked=1 TERM INT
set -m"""

_TAIL = """\
  aj_slot "$aj_next" </dev/null &
  aj_pids+=($!)
done
set +m
trap aj_end TERM INT
((aj_asked)) && aj_end

for aj_pid in "${aj_pids[@]}"; do
  # Being told to stop ends a wait.
  while kill -0 "$aj_pid" 2>/dev/null; do wait "$aj_pid" 2>/dev/null; done
done
# Told to stop, the shell of a process ends before its programs, which have their time to save what they have.
for ((aj_next = ‹grace› * 10; aj_stopped && aj_next > 0; aj_next--)); do
  aj_left=0
  for aj_pid in "${aj_pids[@]}"; do kill -0 -- "-$aj_pid" 2>/dev/null && aj_left=1; done
  ((aj_left)) || break
  sleep 0.1
done
# What a process left behind in its group does not outlive the job.
aj_stop KILL
[[ -n $aj_killer ]] && kill -KILL "$aj_killer" 2>/dev/null
if [[ -f $aj_state/failed ]]; then aj_code=$(<"$aj_state/failed"); else aj_code=$((aj_stopped ? 143 : 0)); fi
rm -rf "$aj_state"
exit "$aj_code"
"""
