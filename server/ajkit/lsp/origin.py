"""From a job that was submitted back to the template it was made from, and to what was asked of that."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp.indexing import homes_in_use
from ajkit.shared.job.command import COMMAND_PATH, job_command
from ajkit.shared.template.names import project_folder, template_name, template_path
from ajkit.shared.where import value_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.session import Session
    from ajkit.shared.job.spec import JobSpec


def origin_of(session: Session, spec: JobSpec) -> tuple[str | None, dict[str, Any]]:
    """The path of the template of a job (None where no home in use has it), and the request that asks for its like."""
    path = next(_templates(session, spec), None)
    shape: dict[str, Any] = {}
    if spec.selector is not None:  # unlike nodes have their shape from the template alone
        shape = {"nodes": spec.nodes, "processes": spec.selector, "ppn": spec.processes_per_node}
    return path, shape | {"command": None if path is None else _given(session, path, spec)}


def _templates(session: Session, spec: JobSpec) -> Iterator[str]:
    """The files of the homes in use that the job may have been made from: of its name, and among its sources."""
    for home in homes_in_use(session):
        usual = template_path(spec.template_name, home)
        project = project_folder(home, usual)
        sources = [posixpath.normpath(posixpath.join(project, each.path)) for each in spec.sources]
        for each in sorted(sources, key=lambda path: path != usual):
            if template_name(each, home) == spec.template_name and session.files.kind(each) == "file":
                yield each


def _given(session: Session, path: str, spec: JobSpec) -> str | None:
    """The shell line that followed the command of the template; None where there was none, or that has changed."""
    written = value_at(session.engine.resolve(path, named=True).config, COMMAND_PATH)
    lines = [each for each in (written if isinstance(written, list) else [written]) if isinstance(each, str)]
    own = job_command(lines, None)
    if not isinstance(own, str):
        return spec.command
    rest = spec.command.removeprefix(own + "\n")
    return None if rest == spec.command else rest
