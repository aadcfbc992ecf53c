"""Anything at all as a workspace: the engine answers in bounded time, on places that are there, and never raises.

``AJ_SOAK=1`` draws many more.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ajkit.backends.registry import registry
from ajkit.engine import Engine
from ajkit.shared.files import MemoryFiles
from ajkit.shared.job.request import JobRequest
from ajkit.shared.problem import CODES, UsageError
from ajkit.shared.template.checks import check, writes_odd_texts
from ajkit.shared.template.overlay import Overlays
from ajkit.shared.where import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.problem import Problem
    from ajkit.shared.template.resolve import Resolved

HOME = "/w/.aj"
LEAF = f"{HOME}/template/leaf.yaml"
SERVICES = registry()
SECONDS = 2.0
"""CPU time that one small workspace may take, on a busy machine."""

fuzzed = settings(
    max_examples=2000 if os.environ.get("AJ_SOAK") == "1" else 60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def _words(text: str) -> list[str]:
    return text.split(" ")


PIECES = st.sampled_from(
    [
        *_words("base: config: target: jobs: env: a b.c on no ~ null 1.5 .inf 0x_ 12:30 2024-01-01 - ? : , [ ] { } #"),
        *_words("& && * ! | > ' \" &a *a <<: !!set !!binary !x %YAML --- ... <<<<<<< ======= >>>>>>> \\n $X $$X ${A}"),
        *(" ", "  ", "    ", "\n", "\n\n", "\r\n", "\r", "\t", "\n  ", "\n- ", "\n  - ", ": ", ":\n", "x" * 300),
        *("\u2028", "\x85", "\x0c", "\x00", "\ufeff", "\ud800", "é", "🙂"),
        *("# aj: ignore[merge.clears]", "# aj: template\n"),
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=40).map("".join)
HEADED = st.builds("".join, st.tuples(st.sampled_from(["", "base: b\n", "base: [b, c.d]\nconfig:\n  "]), TEXTS))
CONTENTS = st.one_of(HEADED, HEADED, st.binary(max_size=200))

NAMES = st.sampled_from(
    ["a", "b", "c", "x.a", "x.b", "template.a", "é", "a b", "1", "no", "{}", "b.yaml", "leaf", "L" * 300]
)
ODD = st.sampled_from(["", ".", "..", "a/b", "a\\b", ".a", "a.", "a..b", "C:x", "\x00", "\n", "\ud800"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["", "G8", "{nodes}xG{processes}", "{x}", "${N}", "1-2", "no", "64g", "$HOME", "aml", "x" * 300, "é\n"]
    ),
    st.text(max_size=6),
)
WORDS = _words(
    "target service name queue memory cpus_per_node gpus_per_node labels environment image setup code local_dir ignore "
    "jobs command sku instance_count process_count_per_node submit_args env container_args shm_size storage mount_dir "
    "max_run_duration_seconds tags priority description _extra volcano tasks slurm ray sing replicas master from_env "
    "AJ_NAME env_defaults search job_template HF_TOKEN 1 2+ 1-4"
)
VALUES = st.recursive(
    SCALARS,
    lambda below: st.one_of(
        st.lists(below, max_size=3), st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=3), below, max_size=4)
    ),
    max_leaves=12,
)
SECTIONS = _words("target environment code storage description _extra jobs env_defaults search")


@st.composite
def configs(draw: st.DrawFn) -> dict[str, Any]:
    """A config that names a service and has a job, with anything at all in and beside them."""
    config = draw(st.dictionaries(st.sampled_from(SECTIONS), VALUES, max_size=4))
    if draw(st.booleans()):
        more = draw(st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=3))
        config["target"] = {**more, "service": draw(st.sampled_from([*SERVICES.built_in, "amlk8s", "nobody"]))}
    if draw(st.booleans()):
        config["jobs"] = [draw(st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=6))]
    return config


@st.composite
def graphs(draw: st.DrawFn) -> MemoryFiles:
    """Files that name one another in any way, cycles and names that lead nowhere included, with links among them."""
    files: dict[str, str | bytes] = {}
    for name in draw(st.lists(NAMES, max_size=6, unique=True)):
        path = f"{HOME}/{name.replace('.', '/')}.yaml" if "." in name else f"{HOME}/template/{name}.yaml"
        files[path] = _document(draw)
    files[LEAF] = _document(draw)
    if draw(st.integers(0, 9)) == 0:
        files[f"{HOME}/aj.toml"] = draw(
            st.sampled_from(['with = ["a", "x.a"]', 'with = 1\nseverity = "x"', "[[[", "\x00"])
        )
    target = draw(st.sampled_from(["a.yaml", "leaf.yaml", "../x", "nowhere.yaml", "loop.yaml"]))
    links = {f"{HOME}/template/loop.yaml": target} if draw(st.integers(0, 3)) == 0 else {}
    return MemoryFiles(files, links)


def _document(draw: st.DrawFn) -> str:
    bases = draw(st.one_of(NAMES, st.lists(st.one_of(NAMES, NAMES, NAMES, ODD), max_size=3), VALUES))
    return json.dumps({"base": bases, "config": draw(st.one_of(configs(), VALUES))})


def ask_everything(files: MemoryFiles, overlays: Overlays | None = None) -> None:
    """Ask an engine all that front ends ask, and look at the answers."""
    began = time.process_time()
    engine = Engine(files=files, folder="/w", registry=SERVICES)
    found = engine.resolve(LEAF, overlays, named=True)
    _look(found, engine.problems(found, named=True))
    if found.config is found.merged.value:
        odd = any(map(writes_odd_texts, found.everything))
        assert check(found.config, leaf=True, service="any", odd_texts=odd) == check(
            found.config, leaf=True, service="any"
        )
    _look_at(engine.check([*engine.ours(), "/w/absent.yaml"], named={LEAF}))
    assert isinstance(engine.entries(HOME), list)
    request = JobRequest(LEAF, nodes=2, selector=1, overlays=overlays or Overlays(), command=("true",))
    try:
        _look_at(engine.plan(request).problems)
    except UsageError:
        assert overlays, "only what was given by hand can be a wrong call"
    assert time.process_time() - began < SECONDS


def _look(found: Resolved, problems: list[Problem]) -> None:
    json.dumps(found.config, allow_nan=False)
    _look_at(problems)
    for path, value in list(walk(found.config))[1:200]:
        trail = found.trail(path)
        assert trail is not None
        assert trail.value is value
        span = found.span(path)
        assert 0 <= span.start <= span.end <= len(span.text.content)
    assert found.path in found.reads


def _look_at(problems: Iterable[Problem]) -> None:
    for each in problems:
        assert each.code in CODES or each.code.split(".")[0] in SERVICES.built_in, each.code
        assert each.message
        for span in (each.span, *(related.span for related in each.related)):
            if span is not None:
                assert 0 <= span.start <= span.end <= len(span.text.content)
                assert span.last >= span.first


@fuzzed
@given(CONTENTS, CONTENTS, CONTENTS)
def test_any_bytes_and_texts(leaf: str | bytes, beside: str | bytes, dotted: str | bytes) -> None:
    ask_everything(MemoryFiles({LEAF: leaf, f"{HOME}/template/b.yaml": beside, f"{HOME}/c/d.yaml": dotted}))


@fuzzed
@given(graphs())
def test_any_base_graph(files: MemoryFiles) -> None:
    ask_everything(files)


@fuzzed
@given(configs(), configs())
def test_any_config(base: dict[str, Any], leaf: dict[str, Any]) -> None:
    above = yaml.safe_dump({"config": base}, allow_unicode=True, sort_keys=False)
    own = yaml.safe_dump({"base": "b", "config": leaf}, allow_unicode=True, sort_keys=False)
    ask_everything(MemoryFiles({LEAF: own, f"{HOME}/template/b.yaml": above}))


@fuzzed
@given(
    configs(),
    st.lists(st.one_of(NAMES, ODD), max_size=2),
    st.lists(
        st.one_of(TEXTS, st.builds("{}={}".format, st.sampled_from(["jobs[0].sku", "a.b", "jobs[7]", "[0]"]), TEXTS))
    ),
    st.lists(st.one_of(TEXTS, st.builds("{}={}".format, st.sampled_from(["A", "AJ_NAME"]), TEXTS)), max_size=3),
)
def test_any_overlay(config: dict[str, Any], bases: list[str], sets: list[str], env: list[str]) -> None:
    files = MemoryFiles({LEAF: json.dumps({"config": config}), f"{HOME}/template/a.yaml": "config: {a: [1]}\n"})
    ask_everything(files, Overlays(tuple(bases), tuple(sets[:3]), tuple(env)))
