"""Where a job of amlt is laid out: its code and its YAML as they lie to one another in the project."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.shared.job.amlt import amlt_config
from ajkit.shared.job.code import CONFIG_DIR
from ajkit.shared.job.secretrefs import secret_names
from ajkit.shared.template.yamltext import yaml_text

if TYPE_CHECKING:
    from typing import Any

    from ajkit.shared.job.spec import JobSpec

_ELSEWHERE = "aj-code"
SECRET = "AJ_SECRET_"  # noqa: S105 - how variables with secrets begin


@dataclass(frozen=True, slots=True)
class Layout:
    """A folder that stands for the project: where the code goes in it, where the YAML, and the YAML's text.

    All paths are relative to the folder and inside it, so that every relative path of the YAML means what it meant.
    """

    code: str
    yaml: str
    text: str


def layout(spec: JobSpec) -> Layout:
    """How a job is laid out."""
    source = spec.sources[0].path if spec.sources else f"{spec.name}.yaml"
    # A leaf outside the project is put at its top: its relative paths are written from there.
    yaml = f"{spec.name}.yaml" if source.startswith("..") or posixpath.isabs(source) else source
    folder = _code_folder(spec.code.dir, posixpath.dirname(yaml))
    if folder is None:
        folder = _ELSEWHERE
        spec = spec.model_copy(update={"code": spec.code.model_copy(update={"dir": folder})})
    # Named after the job: the leaf itself may be part of the code.
    beside = posixpath.join(posixpath.dirname(yaml), f"{spec.name}.yaml")
    return Layout(code=folder, yaml=beside, text=yaml_text(_config(spec)))


def lay_out(plan: Layout, code: str, folder: str) -> str:
    """Make the folder of a job anew; answers the path of the YAML.

    Args:
        plan: the layout.
        code: the folder with the content of the code.
        folder: the folder to make.
    """
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, mode=0o700)
    shutil.copytree(code, os.path.normpath(os.path.join(folder, plan.code)), symlinks=True, dirs_exist_ok=True)
    path = os.path.join(folder, plan.yaml)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(plan.text)
    return path


def job_names(spec: JobSpec) -> list[str]:
    """The names of all jobs of a submission, the one that aj resolved first."""
    others = (spec.template or {}).get("jobs") or []
    return [spec.name, *(str(each["name"]) for each in others[1:] if isinstance(each, dict) and each.get("name"))]


def _config(spec: JobSpec) -> dict[str, Any]:
    """The rendered config; secrets are named, and amlt reads them from its own environment."""
    names = secret_names(spec.env)
    config: dict[str, Any] = amlt_config(spec)
    variables = config["jobs"][0]["submit_args"]["env"]
    for name in names:
        variables[name] = f"${SECRET}{name}"
    return config


def _code_folder(written: str, leaf: str) -> str | None:
    """The code folder from the project folder; None where it lies elsewhere."""
    path = CONFIG_DIR.sub(lambda _: leaf or ".", written)
    if re.match(r"[/~$\\]|[A-Za-z]:", path):
        return None
    folder = posixpath.normpath(path)
    return None if folder.startswith("..") else folder
