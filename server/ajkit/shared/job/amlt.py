"""The amlt renderer: a JobSpec that carries its merged source becomes the config that `amlt run` takes."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ajkit.shared.job.code import CONFIG_DIR
from ajkit.shared.job.shape import stands_for
from ajkit.shared.where import pruned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ajkit.shared.job.spec import JobSpec
    from ajkit.shared.where import Json, KeyPath

_JOB = ("jobs", 0)
_KEPT_AS_WRITTEN = ("sku", "process_count_per_node")
_ELSEWHERE = re.compile(r"[/~$\\]|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*://")
"""How a path begins that does not depend on where the file is."""


def amlt_config(spec: JobSpec, *, config_dir: str | None = None) -> dict[str, Json]:
    """The merged source with the resolved job laid over it, shell dollars escaped and relative paths made to hold.

    Args:
        spec: a JobSpec with its `template`.
        config_dir: the leaf's folder, where the text will not stand beside the leaf: ``$CONFIG_DIR``, which amlt reads
            as the folder of the file it is given, then becomes this path.

    Raises:
        ValueError: the spec was not built for amlt.
    """
    if spec.template is None:
        raise ValueError(f"{spec.name} was not built for amlt: it does not carry its merged source")
    return draft_config(spec.model_dump(mode="json"), config_dir=config_dir)


def draft_config(fields: Mapping[str, Json], *, config_dir: str | None = None) -> dict[str, Json]:
    """The same from the fields of a JobSpec, or of a draft that holds texts like ``‹-n›`` for what is missing."""
    source = {key: value for key, value in _mapping(fields["template"]).items() if key != "_extra"}
    config = {key: pruned(value) for key, value in source.items() if value is not None}
    first, *others = _list(config.get("jobs")) or [{}]
    config["jobs"] = [_overlaid(_mapping(first), fields, config)]
    folder = _mapping(fields["code"])["dir"]
    if folder != "." or "local_dir" in _mapping(config.get("code")):
        config["code"] = {**_mapping(config.get("code")), "local_dir": folder}
    declared = [name for name in _mapping(config.get("env_defaults")) if re.fullmatch(r"\w+", name)]
    config = _mapping(_escaped(_paths_that_hold(config, _leaf(fields)), (), declared))
    config["jobs"] = [*_list(config["jobs"]), *others]
    if config_dir is None:
        return config
    return _mapping(_texts(config, lambda text: CONFIG_DIR.sub(lambda _: config_dir, text)))


def escape_dollars(text: str, declared: Iterable[str] = ()) -> str:
    """Double every ``$`` that the shell is to see: not an existing ``$$``, nor ``$CONFIG_DIR`` and declared names."""
    names = "|".join(re.escape(name) for name in ("CONFIG_DIR", *declared))
    kept = re.compile(rf"\$\$|\$\{{(?:{names})\}}|\$(?:{names})(?!\w)|\$")
    return kept.sub(lambda found: "$$" if found[0] == "$" else found[0], text)


def _leaf(fields: Mapping[str, Json]) -> str:
    """The leaf's path from the project folder."""
    first = _mapping(next(iter(_list(fields["sources"])), {}))
    return str(first.get("path", ".."))


def _overlaid(written: dict[str, Json], fields: Mapping[str, Json], config: dict[str, Json]) -> dict[str, Json]:
    """The first job with the resolved name, shape, command and environment."""
    overlay: dict[str, Json] = {
        "name": fields["name"],
        "command": [*_commands(written.get("command"), str(fields["command"]))],
        "instance_count": fields["nodes"],
        "process_count_per_node": _processes(
            written.get("process_count_per_node"), fields["processes_per_node"], config
        ),
        "submit_args": {**_mapping(written.get("submit_args")), "env": fields["env"]},
    }
    if fields["sku"] is not None:
        overlay["sku"] = fields["sku"]
    return {**written, **overlay}


def _commands(written: Json, script: str) -> list[str]:
    """The script as the items the template wrote and, after them, what was given by hand."""
    items = [written] if isinstance(written, str) else written if isinstance(written, list) else []
    lines = [each.removesuffix("\n") for each in items if isinstance(each, str)]
    head = "\n".join(lines)
    if not lines or not f"{script}\n".startswith(f"{head}\n"):
        return [script]
    rest = script[len(head) + 1 :]
    return [*lines, rest] if rest else lines


def _processes(written: Json, resolved: Json, config: dict[str, Json]) -> Json:
    """The number of processes, or the variable that stands for it where no flag said another number."""
    if isinstance(written, str) and resolved == (stands_for(written, config) or 1):
        return written
    return resolved


def _paths_that_hold(config: dict[str, Json], leaf: str) -> Json:
    """Relative paths, which mean the project folder, written from the leaf's folder."""
    if leaf.startswith(".."):
        # The way from a leaf outside the project folder back into it is not known: amlt has to run there.
        return config
    project = posixpath.relpath("/", posixpath.join("/", posixpath.dirname(leaf)))

    def hold(value: Json) -> Json:
        if not isinstance(value, str) or _ELSEWHERE.match(value):
            return value
        inside = posixpath.normpath(posixpath.join(project, value))
        return "$CONFIG_DIR" if inside == "." else f"$CONFIG_DIR/{inside}"

    result = dict(config)
    for section, key in (("code", "local_dir"), ("data", "local_dir"), ("environment", "conda_yaml_file")):
        inside = _mapping(config.get(section))
        if key in inside:
            result[section] = {**inside, key: hold(inside[key])}
    if storage := _mapping(config.get("storage")):
        result["storage"] = {
            name: {**mount, "local_dir": hold(mount["local_dir"])}
            if isinstance(mount, dict) and "local_dir" in mount
            else mount
            for name, mount in storage.items()
        }
    return result


def _escaped(value: Json, path: KeyPath, declared: list[str]) -> Json:
    if isinstance(value, str):
        return escape_dollars(value, declared)
    if isinstance(value, list):
        return [_escaped(below, (*path, index), declared) for index, below in enumerate(value)]
    if isinstance(value, dict):
        of_job = path in (_JOB, ("search", "job_template"))
        return {
            key: below if of_job and key in _KEPT_AS_WRITTEN else _escaped(below, (*path, key), declared)
            for key, below in value.items()
        }
    return value


def _texts(value: Json, change: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_texts(below, change) for below in value]
    if isinstance(value, dict):
        return {key: _texts(below, change) for key, below in value.items()}
    return value


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _mapping(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
