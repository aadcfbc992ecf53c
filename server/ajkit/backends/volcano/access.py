"""Which cluster is asked, and who asks: from a kubeconfig, or from the pod that this process runs in."""

from __future__ import annotations

import contextlib
import json
import os
from copy import copy
from pathlib import Path
from typing import Any

import yaml
from lightkube.config.kubeconfig import DEFAULT_KUBECONFIG, SERVICE_ACCOUNT, KubeConfig, SingleConfig
from lightkube.config.models import NameValue, User
from lightkube.core.exceptions import ConfigError

from ajkit.shared.job.execution import Unavailable

_LISTS = ("clusters", "contexts", "users")
_EXEC_READ = "client.authentication.k8s.io/v1beta1"
_EXEC_ALIKE = "client.authentication.k8s.io/v1"
_FILES = ("token_file", "client_cert", "client_key")


def access(context: str | None, kubeconfig: str | None) -> SingleConfig:
    """The cluster of a context, and whom it is asked as.

    Args:
        context: its name in the kubeconfig; None for the current one.
        kubeconfig: the path of that file; None for the cluster that this process runs in, else ``~/.kube/config``.

    Raises:
        Unavailable: no configuration, one that cannot be read, or no such context.
    """
    everything = _of_the_pod() if kubeconfig is None and context is None else None
    if everything is None:
        everything = _from_file(_place_of(kubeconfig))
    found = _chosen(everything, context)
    # A context may do without a user, which the library does not expect.
    return found._replace(user=_complete(found, found.user or User()))


def written_at(kubeconfig: str | None) -> int:
    """When a kubeconfig was written, in nanoseconds since 1970; 0 where there is none."""
    with contextlib.suppress(OSError):
        return _place_of(kubeconfig).stat().st_mtime_ns
    return 0


def _place_of(kubeconfig: str | None) -> Path:
    return Path(kubeconfig or DEFAULT_KUBECONFIG).expanduser()


def _of_the_pod() -> KubeConfig | None:
    """What a pod is given; None where this is no pod, or it is not told where the API server is."""
    with contextlib.suppress(ConfigError, KeyError, OSError):
        return KubeConfig.from_service_account(SERVICE_ACCOUNT)
    return None


def _from_file(path: Path) -> KubeConfig:
    try:
        said: Any = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
    except FileNotFoundError:
        raise _no_way(f"there is no kubeconfig {path}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise _no_way(f"{path} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(said, dict):
        raise _no_way(f"{path} is no kubeconfig")
    # What kubectl writes where nothing is configured: `clusters: null`, `current-context: ""`.
    lists = {name: said.get(name) or [] for name in _LISTS}
    try:
        return KubeConfig.from_dict({**lists, "current-context": said.get("current-context") or None}, fname=path)
    except (KeyError, TypeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise _no_way(f"{path} is no kubeconfig: {what}") from None


def _chosen(everything: KubeConfig, context: str | None) -> SingleConfig:
    name = context or everything.current_context
    if name is None:
        raise _no_way("the kubeconfig has no current context: set target.context")
    if name not in everything.contexts:
        known = ", ".join(sorted(everything.contexts)) or "none"
        raise Unavailable(f"the kubeconfig has no context {name!r}; there are: {known}")
    wanted = everything.contexts[name]
    if wanted.cluster not in everything.clusters:
        raise Unavailable(f"the context {name!r} is of a cluster {wanted.cluster!r}, which is not in the kubeconfig")
    if wanted.user and wanted.user not in everything.users:
        raise Unavailable(f"the context {name!r} is of a user {wanted.user!r}, who is not in the kubeconfig")
    found = everything.get(name)
    assert found is not None
    return found


def _complete(config: SingleConfig, user: User) -> User:
    """A user whose files have whole paths, and whose plug-in the library takes."""
    found = copy(user)
    named = [config.cluster.certificate_auth]
    for name in _FILES:
        if path := getattr(user, name):
            named.append(str(config.abs_file(path)))
            setattr(found, name, named[-1])
    for each in filter(None, named):
        if not os.path.exists(config.abs_file(each)):
            raise _no_way(f"the kubeconfig names {config.abs_file(each)}, which is not there")
    if user.exec is not None and user.exec.apiVersion == _EXEC_ALIKE:
        # It answers as the version before it did, but wants to be told what it is asked for.
        asked = {"apiVersion": _EXEC_ALIKE, "kind": "ExecCredential", "spec": {"interactive": False}}
        told = [*(user.exec.env or []), NameValue("KUBERNETES_EXEC_INFO", json.dumps(asked))]
        found.exec = copy(user.exec)
        found.exec.apiVersion, found.exec.env = _EXEC_READ, told
    return found


def _no_way(why: str) -> Unavailable:
    return Unavailable(f"no Kubernetes cluster can be asked from here: {why}")
