"""What a cluster would refuse, or hang on, and does not say: found before anything is sent."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ajkit.backends.volcano.groups import pods_of
from ajkit.backends.volcano.manifest import options_of
from ajkit.backends.volcano.pods import ROOT
from ajkit.backends.volcano.tasks import POD_NAME_LIMIT
from ajkit.shared.problem import problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.backends.volcano.groups import Pods
    from ajkit.backends.volcano.place import Place
    from ajkit.shared.job.spec import JobSpec
    from ajkit.shared.problem import Problem

_VARIABLE = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
_CLAIM = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_RESERVED = ("aj/", "volcano.sh/", "app.kubernetes.io/managed-by")
_MOST_TEXT = 900 * 1024
_HOST = r"(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(:[0-9]+)?"
_FOLDER = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_VERSION = r"(:\w[\w.-]{0,127})?(@[A-Za-z][\w.+-]*:[0-9A-Fa-f]{32,})?"
_IMAGE = re.compile(rf"({_HOST}/)?{_FOLDER}(/{_FOLDER})*{_VERSION}", re.ASCII)


def offline(spec: JobSpec, place: Place) -> Iterator[Problem]:
    """What is wrong with a job by rules that need no cluster."""
    options = options_of(spec)
    groups = pods_of(spec, options)
    for key in options.labels:
        if key.startswith(_RESERVED):
            yield problem("volcano.label", f"the label {key} is set by aj or Volcano: choose another", None)
    for group in groups:
        longest = group.names(spec.name)[-1]
        if len(longest) > POD_NAME_LIMIT:
            message = f"the pod {longest} would have a name of {len(longest)} characters; {POD_NAME_LIMIT} are possible"
            yield problem("volcano.name", f"{message}: shorten jobs[0].name", None)
        yield from _of_group(group)
    text = sum(len(each.command.encode()) + len("".join(each.setup).encode()) for each in groups)
    if text > _MOST_TEXT:
        message = f"commands and setup lines are {text // 1024} KiB; a ConfigMap carries {_MOST_TEXT // 1024}"
        yield problem("volcano.text", f"{message}: put them into a file of the code folder", None)
    yield from _mounts(spec, place)


def _of_group(group: Pods) -> Iterator[Problem]:
    if not group.image:
        yield problem("volcano.image", f"the pods of {group.task} have no image: set environment.image", None)
    elif not _IMAGE.fullmatch(group.image):
        # An API server takes nearly anything here, and a node then tries for ever.
        message = f"the pods of {group.task} cannot have the image {group.image!r}"
        yield problem("volcano.image", f"{message}: write REGISTRY/NAME:TAG, the name in lower case", None)
    for name, value in group.env.items():
        if not _VARIABLE.fullmatch(name):
            message = f"a container cannot have a variable called {name!r}: letters, digits, `_`, `-` and `.` are taken"
            yield problem("volcano.env", message, None)
        elif isinstance(value, str) and "\0" in value:
            yield problem("volcano.env", f"the value of {name} holds a null character", None)


def _mounts(spec: JobSpec, place: Place) -> Iterator[Problem]:
    options = options_of(spec)
    taken = {ROOT: "aj itself", "/dev/shm": "shared memory"}  # noqa: S108 - where Linux keeps shared memory
    wanted = [("_extra.volcano.scratch", options.scratch.mount_dir)] if options.scratch else []
    for name, mount in spec.storage.items():
        where = f"storage.{name}"
        if place.storage_claims:
            if not _CLAIM.fullmatch(name):
                message = f"{where}: the daemon takes its name for a PersistentVolumeClaim, which cannot be called so"
                yield problem("volcano.mount", message, None)
        elif not (mount.storage_account_name and mount.container_name):
            message = f"{where}: set storage_account_name and container_name, which its pods mount"
            yield problem("volcano.mount", message, None)
        if not mount.mount_dir or not mount.mount_dir.startswith("/"):
            message = f"{where}: mount_dir must be an absolute path in the container, not {mount.mount_dir!r}"
            yield problem("volcano.mount", message, None)
        else:
            wanted.append((where, mount.mount_dir))
    for where, path in wanted:
        folder = posixpath.normpath(path)
        for other, owner in taken.items():
            if folder == other or (folder.startswith(f"{ROOT}/") and other == ROOT):
                yield problem("volcano.mount", f"{where}: {path} is where {owner} is mounted; choose another", None)
                break
        taken[folder] = where
