"""One run of the parser over a text: the tree as far as it got, and where and why it gave up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yaml import MarkedYAMLError, YAMLError
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from ajkit.shared.records import dataclass
from ajkit.shared.template.collector import collector_paused
from ajkit.shared.template.complaints import Kind, complaint
from ajkit.shared.template.compose import Composer, Stop
from ajkit.shared.template.events import open_events
from ajkit.shared.template.tree import NESTING_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.template.events import Mended
    from ajkit.shared.where import Text

NODES_LIMIT = 1_000_000

_NODES = frozenset({AliasEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent})


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the parser gave up: the offset where it noticed, and the one where what it was reading began."""

    kind: Kind
    message: str
    at: int
    began: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """The composer of one run, and its fault if the text did not parse."""

    composer: Composer
    fault: Fault | None


def attempt(text: Text, mended: Mended | None = None, *, pure: bool = False) -> Attempt:
    """Parse a text, or what was made of it; offsets are those of `text` either way. Never raises."""
    composer = Composer(text)
    fault = None
    try:
        with collector_paused():
            next_event = mended.events(pure=pure) if mended else open_events(text.content, pure=pure)
            if len(text.content) > 2 * NODES_LIMIT:
                next_event = _counted(next_event, composer)
            composer.run(next_event)
    except Stop as stop:
        composer.close(stop.at)
    except (YAMLError, ValueError) as error:
        fault = _fault(error, mended, len(text.content))
        composer.close(fault.at)
        if fault.kind is Kind.NESTING:
            composer.findings.nesting(fault.at, NESTING_LIMIT)
            fault = None
    return Attempt(composer, fault)


def _fault(error: Exception, mended: Mended | None, size: int) -> Fault:
    if not isinstance(error, MarkedYAMLError):
        return Fault(Kind.OTHER, "this cannot be read as YAML", size, size)
    marks = [each.index for each in (error.problem_mark, error.context_mark) if each is not None] or [size]
    if mended:
        marks = [mended.true(each) for each in marks]
    kind, message = complaint(error.context or "", error.problem or "")
    return Fault(kind, message, min(marks[0], size), min(marks[-1], size))


def _counted(next_event: Callable[[], Any], composer: Composer) -> Callable[[], Any]:
    """The events of a text that is long enough to hold more nodes than fit; keys are no nodes."""
    nodes = 0
    is_key: list[bool | None] = [None]  # per open container: whether a key comes next, None in a list

    def next_counted() -> Any:
        nonlocal nodes
        event = next_event()
        kind = event.__class__
        if kind is MappingEndEvent or kind is SequenceEndEvent:
            is_key.pop()
        if kind not in _NODES:
            return event
        if is_key[-1]:
            is_key[-1] = False
        else:
            nodes += 1
            if is_key[-1] is False:
                is_key[-1] = True
        if kind is MappingStartEvent:
            is_key.append(True)
        elif kind is SequenceStartEvent:
            is_key.append(None)
        if nodes > NODES_LIMIT:
            at = event.start_mark.index
            composer.findings.nodes(at, NODES_LIMIT)
            raise Stop(at)
        return event

    return next_counted
