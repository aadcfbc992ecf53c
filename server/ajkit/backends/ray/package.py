"""What travels to the cluster: the code of a job, kept there by its content, and the program that runs it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from typing import TYPE_CHECKING, Any

from ajkit.backends.ray import driver, node
from ajkit.shared.job.slots import script

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.backends.ray.describe import RayOpts
    from ajkit.shared.job.spec import JobSpec

LARGEST_MIB = 500
"""Ray keeps packages in the memory of its head, and takes none that is larger."""

_DAY = (1980, 1, 1, 0, 0, 0)
_MAIN = "import sys\n\nfrom aj_job.driver import main\n\nsys.exit(main())\n"


def code_name(digest: str) -> str:
    """What the package of a code folder is called in the cluster."""
    return f"_ray_pkg_aj_code_{digest[:32]}.zip"


def write_code(path: str, archive: str) -> None:
    """Make the package of a code folder from its tar file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        _add(package, "aj_code/__init__.py", "")
        entry = zipfile.ZipInfo("aj_code/code.tar", _DAY)
        entry.compress_type = zipfile.ZIP_DEFLATED
        with open(archive, "rb") as file, package.open(entry, "w", force_zip64=True) as into:
            shutil.copyfileobj(file, into)


def job_content(spec: JobSpec, options: RayOpts, values: Mapping[str, str]) -> dict[str, Any]:
    """What the driver goes by: ``job.json``."""
    return {
        "name": spec.name,
        "nodes": spec.nodes,
        "processes": spec.processes_per_node,
        "cpus": 1.0 if options.cpus_per_node is None else options.cpus_per_node,
        "gpus": spec.gpus_per_node,
        "time_limit": spec.time_limit_seconds,
        "script": script(spec),
        "env": dict(values),
    }


def write_job(path: str, content: Mapping[str, Any]) -> str:
    """Make the package of one job, with its secrets, and answer what it is called in the cluster."""
    files = {
        "aj_job/__init__.py": "",
        "aj_job/__main__.py": _MAIN,
        "aj_job/driver.py": source(driver.__file__),
        "aj_job/node.py": source(node.__file__),
        "aj_job/job.json": json.dumps(content),
    }
    owned = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(owned, "w+b") as made:
        with zipfile.ZipFile(made, "w") as package:
            for name, text in files.items():
                _add(package, name, text)
        made.seek(0)
        return f"_ray_pkg_aj_job_{hashlib.file_digest(made, 'sha256').hexdigest()[:32]}.zip"


def source(path: str) -> str:
    """The text of a module that travels."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def _add(package: zipfile.ZipFile, name: str, text: str) -> None:
    package.writestr(zipfile.ZipInfo(name, _DAY), text)
