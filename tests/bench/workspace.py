"""Workspaces to measure on: realistic trees of templates made anew from a seed, and one-file templates of any length.

A workspace is made of organisations of at most a thousand leaves. A leaf names three bases (its team, a storage, an
account) and reaches nine or ten files in all; the root of its organisation is met on three roads::

    leaf ─┬─ team ── project ─┬─ target ────────────────────── organisation
          │                   └─ environment ── its common ─── organisation
          ├─ storage ── its common ─────────────────────────── organisation
          └─ account
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

LARGEST = 1000
"""How many leaves an organisation has at most."""

SERVICES = ("aml", "sing", "volcano")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_NOUNS = _words(
    "anchor basalt canyon delta ember fjord glacier harvest island juniper kestrel lagoon meadow nimbus orchard quarry "
    "prairie ridge summit tundra upland valley willow yarrow"
)
_VARIABLES = _words(
    "NCCL_DEBUG NCCL_IB_HCA NCCL_SOCKET_IFNAME OMP_NUM_THREADS TORCH_DISTRIBUTED_DEBUG TRITON_CACHE_DIR HF_HOME "
    "WANDB_MODE WANDB_PROJECT DATA_DIR OUTPUT_DIR LOG_LEVEL SEED LEARNING_RATE BATCH_SIZE WARMUP_STEPS TOTAL_STEPS "
    "SAVE_INTERVAL EVAL_INTERVAL SEQUENCE_LENGTH MIXED_PRECISION GRADIENT_CLIP DATA_WORKERS PREFETCH"
)
_FLAGS = _words("lr batch-size steps warmup layers width heads dropout decay shards")


@dataclass
class Workspace:
    """A workspace on disk: its AJ_HOME, the paths of its leaves, and the bases of every file.

    Files are named by their path below the home without suffix (``template/leaf00001``); bases come first.
    """

    home: str
    leaves: list[str] = field(default_factory=list)
    bases: dict[str, list[str]] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """The paths of all files, bases first."""
        return [self.path(name) for name in self.bases]

    def path(self, name: str) -> str:
        """The path of a file."""
        return f"{self.home}/{name}.yaml"

    def name(self, path: str) -> str:
        """The name of a file."""
        return path.removeprefix(f"{self.home}/").removesuffix(".yaml")

    def chain(self, path: str) -> list[str]:
        """The names of everything a file is made of, each once, in the order in which it is merged; itself last."""
        found: dict[str, None] = {}

        def visit(name: str) -> None:
            for base in self.bases[name]:
                visit(base)
            found.setdefault(name)

        visit(self.name(path))
        return list(found)


def make_workspace(folder: Path, leaves: int, seed: int = 1) -> Workspace:
    """Write a workspace of so many leaves below a folder: the same files for the same arguments."""
    made = Workspace(f"{folder.as_posix()}/.aj")
    pick = random.Random(f"workspace {seed} {leaves}")
    for first in range(0, leaves, LARGEST):
        _organise(made, pick, f"o{first // LARGEST:02d}", range(first, min(first + LARGEST, leaves)))
    return made


def one_file(lines: int, seed: int = 1) -> str:
    """The text of one template without bases that has about so many lines."""
    pick = random.Random(f"file {seed} {lines}")
    page = ["base:", "config:", "  description: one large template", *_target(pick, "aml"), *_image(pick), "  jobs:"]
    while len(page) < lines:
        page += _job(pick, min(120, max(20, lines - len(page))), f"part{len(page)}")
    return "\n".join(page) + "\n"


def _organise(made: Workspace, pick: random.Random, tag: str, numbers: range) -> None:
    """Write one organisation: its root, what teams choose from, the teams, and a leaf for each number."""
    many = len(numbers) > 50

    def part(name: str, bases: list[str], lines: int, section: list[str]) -> str:
        mark = name.rpartition("/")[2].replace("-", "_")
        return _put(made, pick, name, bases, [*section, "  jobs:", *_env_only(pick, lines, mark)])

    root = part(f"org/{tag}", [], 14, ["  description: what everybody starts from"])
    accounts = [part(f"account/{tag}-{n}", [], 10, _accounting(pick)) for n in range(3 if many else 1)]
    shared = part(f"storage/{tag}", [root], 6, _storage(pick, "shared"))
    storages = [part(f"storage/{tag}-{n}", [shared], 8, _storage(pick, "data")) for n in range(5 if many else 2)]
    common = part(f"environment/{tag}", [root], 12, _setup(pick, 2))
    images = [part(f"environment/{tag}-{n}", [common], 16, _image(pick)) for n in range(4 if many else 2)]
    services = SERVICES * 2 if many else SERVICES[:2]
    targets = [part(f"target/{tag}-{n}", [root], 9, _target(pick, service)) for n, service in enumerate(services)]
    projects = [
        part(f"template/{tag}-project{n}", [pick.choice(targets), pick.choice(images)], pick.randint(12, 36), [])
        for n in range(max(2, len(numbers) // 50))
    ]
    teams = [
        part(f"template/{tag}-team{n}", [pick.choice(projects)], pick.randint(12, 36), [])
        for n in range(max(3, len(numbers) // 12))
    ]
    for number in numbers:
        bases = [pick.choice(teams if pick.random() < 0.85 else projects), pick.choice(storages), pick.choice(accounts)]
        made.leaves.append(made.path(_leaf(made, pick, number, bases)))


def _leaf(made: Workspace, pick: random.Random, number: int, bases: list[str]) -> str:
    lines = pick.randint(60, 200)
    page = [f"  description: experiment {number}, {pick.choice(_NOUNS)}"]
    if pick.random() < 0.4:
        page += _setup(pick, pick.randint(1, 5))
    if pick.random() < 0.3:
        page += _storage(pick, f"scratch{number}")
    page += ["  jobs:", *_job(pick, max(25, lines - len(page) - 5), f"leaf{number}")]
    return _put(made, pick, f"template/leaf{number:05d}", bases, page)


def _put(made: Workspace, pick: random.Random, name: str, bases: list[str], config: list[str]) -> str:
    """Write a file, its bases in one of the ways in which people write them."""
    beside = name.rpartition("/")[0] + "/"
    words = [base.removeprefix(beside) if base.startswith(beside) else base.replace("/", ".") for base in bases]
    if len(words) < 2:
        head = [f"base: {''.join(words)}".rstrip()]
    elif pick.random() < 0.3:
        head = [f"base: [{', '.join(words)}]"]
    else:
        head = ["base:", *(f"  - {word}" for word in words)]
    path = Path(made.path(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*head, "config:", *config]) + "\n", encoding="utf-8")
    made.bases[name] = bases
    return name


def _target(pick: random.Random, service: str) -> list[str]:
    lines = ["  target:", f"    service: {service}"]
    if service == "volcano":
        lines += [
            f"    namespace: {pick.choice(_NOUNS)}",
            f"    queue: {pick.choice(_NOUNS)}",
            f"    cpus_per_node: {pick.choice([16, 32, 96])}",
            f"    memory: {pick.choice([64, 256, 512])}Gi",
            "    rdma: true",
        ]
    else:
        lines += [
            f"    name: {pick.choice(_NOUNS)}-{pick.choice(_NOUNS)}-{pick.randint(1, 99)}",
            f"    workspace_name: ws-{pick.choice(_NOUNS)}",
            f'    subscription_id: "00000000-0000-0000-0000-{pick.randint(0, 10**12 - 1):012d}"',
            f"    resource_group: rg-{pick.choice(_NOUNS)}",
        ]
    return [*lines, "    gpus_per_node: 8"]


def _image(pick: random.Random) -> list[str]:
    version = f"{pick.randint(1, 2)}.{pick.randint(0, 9)}.0"
    return ["  environment:", f"    image: registry.example/{pick.choice(_NOUNS)}/torch:{version}-cuda12"]


def _setup(pick: random.Random, lines: int) -> list[str]:
    return ["  environment:", "    setup:", *(f"      - pip install {pick.choice(_NOUNS)}-{n}" for n in range(lines))]


def _storage(pick: random.Random, name: str) -> list[str]:
    return [
        "  storage:",
        f"    {name}:",
        f"      storage_account_name: {pick.choice(_NOUNS)}store",
        f"      container_name: {pick.choice(_NOUNS)}",
        f"      mount_dir: /mnt/{name}",
    ]


def _accounting(pick: random.Random) -> list[str]:
    return [
        "  _extra:",
        "    accounting:",
        f"      owner: {pick.choice(_NOUNS)}",
        f"      budget: {pick.randint(1, 99)}",
    ]


def _env_only(pick: random.Random, lines: int, mark: str) -> list[str]:
    """The part of a job that components set."""
    return ["    - submit_args:", "        env:", *_env(pick, max(1, lines - 3), mark)]


def _job(pick: random.Random, lines: int, mark: str) -> list[str]:
    """A whole job in about so many lines."""
    page = [f"    - name: train-{mark}"]
    if pick.random() < 0.35:
        page += ["      sku:", '        "1": "G{processes}"', '        "2+": "{nodes}x80G{processes}-A100"']
    else:
        page += ['      sku: "{nodes}x80G{processes}-A100"']
    page += [
        f"      instance_count: {pick.choice([1, 2, 4, 8])}",
        f"      process_count_per_node: {pick.choice([1, 4, 8])}",
    ]
    commands = max(1, (lines - len(page)) // 5)
    page += ["      submit_args:", "        env:", *_env(pick, max(1, lines - len(page) - commands - 3), mark)]
    page += ["      command:"]
    while commands > 0:
        written = _command(pick, commands)
        commands -= len(written)
        page += written
    return page


def _env(pick: random.Random, lines: int, mark: str) -> list[str]:
    names = dict.fromkeys(
        pick.choice(_VARIABLES) if pick.random() < 0.5 else f"{pick.choice(_NOUNS)}_{mark}_{n}".upper()
        for n in range(lines)
    )
    page = []
    for name in names:
        if pick.random() < 0.06:
            page.append(f"          # {' '.join(pick.sample(_NOUNS, pick.randint(3, 8)))}")
        page.append(f"          {name}: {_value(pick)}" + ("  # tuned" if pick.random() < 0.05 else ""))
    return page


def _value(pick: random.Random) -> str:
    return pick.choice(
        (
            str(pick.randint(0, 4096)),
            f'"{pick.randint(0, 9)}"',
            f"/mnt/{pick.choice(_NOUNS)}/{pick.choice(_NOUNS)}",
            pick.choice(("true", "false")),
            f"'{pick.choice(_NOUNS)}: {pick.choice(_NOUNS)}'",
            f"{pick.random():.5f}",
            f"{pick.choice(_NOUNS)}_{pick.choice(_NOUNS)}",
        )
    )


def _command(pick: random.Random, most: int) -> list[str]:
    """One item of a command in at most so many lines."""
    flags = " ".join(f"--{flag} {pick.randint(1, 999)}" for flag in pick.sample(_FLAGS, 2))
    if most >= 4 and pick.random() < 0.15:
        body = (f"if [ -d /mnt/{pick.choice(_NOUNS)} ]; then", f"  echo {pick.choice(_NOUNS)}", "fi")
        return ["        - |", *(f"          {line}" for line in body)]
    if pick.random() < 0.2:
        return [f'        - "python -m {pick.choice(_NOUNS)}.run {flags} --name \\"{pick.choice(_NOUNS)}\\""']
    return [f"        - python tools/{pick.choice(_NOUNS)}.py {flags} --out /mnt/out/{pick.choice(_NOUNS)}"]
