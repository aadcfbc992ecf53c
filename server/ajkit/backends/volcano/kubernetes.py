"""The values that Kubernetes takes: quantities, labels, names; what it would refuse is refused here in clear words."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from ajkit.shared.template.refusals import refuse
from ajkit.shared.template.sizes import MIB, binary_size

_QUANTITY = re.compile(r"\+?(?P<number>[0-9]+\.?[0-9]*|\.[0-9]+)(?P<unit>[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?")
_FACTORS = {unit: 1024**power for power, unit in enumerate(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))} | {
    unit: Decimal(1000) ** power
    for power, unit in enumerate(("n", "u", "m", "", "k", "M", "G", "T", "P", "E"), start=-3)
}
_MOST_CPUS = 10_000

_DNS_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_DNS_1035 = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
_DNS_PART = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
_DNS_SUBDOMAIN = re.compile(rf"(?=.{{1,253}}$){_DNS_PART}(\.{_DNS_PART})*")
_LABEL_PART = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
_LABEL_RULE = "at most 63 letters, digits, `-`, `_` and `.`, the first and last a letter or digit"
_CAPABILITY = re.compile(r"[A-Z][A-Z_]*")


def amount(quantity: str) -> Decimal | None:
    """The number that a Kubernetes quantity stands for (``500m`` is 0.5, ``1Ki`` is 1024); None for anything else."""
    found = _QUANTITY.fullmatch(quantity)
    if not found:
        return None
    number, unit = Decimal(found["number"]), found["unit"] or ""
    return number * _FACTORS[unit] if unit in _FACTORS else number * Decimal(10) ** int(unit[1:])


def _written(value: object) -> object:
    """A number may be written without quotes; what Kubernetes reads is its text."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _cpus(value: str) -> str:
    number = amount(value)
    if number is None or not 0 < number <= _MOST_CPUS:
        raise refuse("quantity", f"{value!r} is no number of CPUs: write it like 32, 0.5 or 500m")
    return value


def _memory(value: str) -> str:
    number = amount(value)
    if number is not None and number >= MIB:
        return value
    size = binary_size(value)
    if size is None:
        raise refuse("quantity", f"{value!r} is no size of memory: write it like 64Gi")
    if value.isdigit():
        raise refuse(
            "quantity", f"{value} would be {value} bytes: write the unit, like {value}Gi", suggest=f"{value}Gi"
        )
    if size < MIB:
        raise refuse("quantity", f"{value!r} is too little to start anything in: write it like 64Gi")
    spelt = spell(size)
    raise refuse("quantity", f"Kubernetes does not read {value!r}: write {spelt}", suggest=spelt)


def env_text(value: str) -> str:
    """A variable's value as a container is given it: Kubernetes fills in ``$(NAME)`` and takes ``$$`` for ``$``."""
    return value.replace("$", "$$") if "$(" in value or "$$" in value else value


def spell(size: int) -> str:
    """A number of bytes as a Kubernetes quantity, in the largest binary unit that keeps it whole."""
    for unit in ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki"):
        if size % int(_FACTORS[unit]) == 0:
            return f"{size // int(_FACTORS[unit])}{unit}"
    return str(size)


def _container_size(value: str) -> str:
    """A size as Docker reads it (``64g`` is 64 GiB), or already as Kubernetes does."""
    size = binary_size(value)
    if size is None or size < MIB:
        raise refuse("quantity", f"{value!r} is no size of shared memory: write it like 64g")
    return spell(size)


def _matching(pattern: re.Pattern[str], what: str, rule: str) -> AfterValidator:
    def check(value: str) -> str:
        if not pattern.fullmatch(value):
            raise refuse("name", f"{value!r} cannot be {what}: {rule}")
        return value

    return AfterValidator(check)


def _is_qualified(value: str) -> bool:
    prefix, slash, name = value.rpartition("/")
    return bool(_LABEL_PART.fullmatch(name)) and (not slash or bool(_DNS_SUBDOMAIN.fullmatch(prefix)))


def _label_key(value: str) -> str:
    if not _is_qualified(value):
        rule = f"{_LABEL_RULE}, after an optional domain and a slash"
        raise refuse("label", f"{value!r} cannot be the key of a label: write {rule}", on_key=True)
    return value


def _resource(value: str) -> str:
    if not _is_qualified(value):
        raise refuse("name", f"{value!r} cannot be what a cluster calls a device: write it like nvidia.com/gpu")
    return value


def _label_value(value: str) -> str:
    if value and not _LABEL_PART.fullmatch(value):
        raise refuse("label", f"{value!r} cannot be the value of a label: write {_LABEL_RULE}")
    return value


def _capability(value: str) -> str:
    bare = value.upper().removeprefix("CAP_")
    if value != bare or not _CAPABILITY.fullmatch(value):
        hint = f": write {bare}" if _CAPABILITY.fullmatch(bare) else ", which are written like IPC_LOCK"
        raise refuse("option", f"{value!r} is no name of a capability{hint}", suggest=bare if hint[0] == ":" else None)
    return value


_LOWER = "lower-case letters, digits and `-`, at most 63, which begin and end with a letter or digit"

Cpus = Annotated[str, BeforeValidator(_written, json_schema_input_type=int | float | str), AfterValidator(_cpus)]
Memory = Annotated[str, BeforeValidator(_written, json_schema_input_type=int | str), AfterValidator(_memory)]
ContainerSize = Annotated[str, AfterValidator(_container_size)]
Namespace = Annotated[str, _matching(_DNS_LABEL, "a namespace", _LOWER)]
ObjectName = Annotated[str, _matching(_DNS_SUBDOMAIN, "the name of a Kubernetes object", f"{_LOWER}, joined by dots")]
ResourceName = Annotated[str, AfterValidator(_resource)]
TaskName = Annotated[str, _matching(_DNS_1035, "the name of a task", f"{_LOWER}, and the first is a letter")]
Labels = dict[Annotated[str, AfterValidator(_label_key)], Annotated[str, AfterValidator(_label_value)]]
Capability = Annotated[str, AfterValidator(_capability)]
