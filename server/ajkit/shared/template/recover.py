"""A tree for a text that does not parse: mend the line that is to blame, parse again, a bounded number of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Problem, problem
from ajkit.shared.template.attempt import Attempt, Fault, attempt
from ajkit.shared.template.blemishes import clean
from ajkit.shared.template.complaints import Kind
from ajkit.shared.template.events import Mended
from ajkit.shared.template.indents import Indents
from ajkit.shared.template.mends import Mend, Mender
from ajkit.shared.template.standing import Standing, believable, standing
from ajkit.shared.template.suspects import suspects, swallower
from ajkit.shared.template.tabs import tab_mends
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ajkit.shared.where import Text

MOST_PARSES = 12
_WORK = 8_000_000  # characters that are parsed again at most, beside a second parse


class Recovery:
    """The state of mending one text: what has been mended, and the best that came of it.

    Everything is read from the text without its blemishes, which has the same lines and offsets.
    """

    def __init__(self, text: Text, first: Attempt, hint: int | None, *, pure: bool) -> None:
        self.result = first
        self.parses = 1
        self._text = text
        self._pure = pure
        self._hint = hint if hint is not None and 0 <= hint < len(text.starts) else None
        self._cleaned = clean(text)
        self._clean = self._cleaned.text
        self._indents = Indents(self._clean)
        self._mender = Mender(text, self._indents)
        self._mended: dict[int, tuple[Mend, Fault]] = {}
        self._reading: dict[int, str] = {}  # the mended lines as they are parsed
        self._most = min(MOST_PARSES, 2 + _WORK // max(1, len(text.content)))

    @property
    def broken(self) -> tuple[int, ...]:
        """The lines that were not read as they stand."""
        return tuple(sorted({*self._mended, *self._cleaned.lines}))

    def run(self) -> None:
        """Mend until the text parses, or nothing helps any more."""
        if self._cleaned.problems:
            self.result = self._parse()
        tabs = False
        while (fault := self.result.fault) is not None and self.parses < self._most:
            mends = [] if tabs else tab_mends(self._text, fault, self._indents)
            if mends:
                tabs = True
                self._accept(mends, fault)
                self.result = self._parse()
            elif not self._step(fault):
                return

    def problems(self) -> Iterator[Problem]:
        """What was mended, and what could not be."""
        yield from self._cleaned.problems
        for mend, cause in self._mended.values():
            message = mend.message
            if not message and mend.code == "yaml.syntax":
                here = self._clean.position(cause.at).line == mend.line
                if cause.kind is Kind.MISPLACED and self._indents.is_item(mend.line):
                    message = "a list item cannot stand among keys: indent it below the key that it belongs to"
                else:
                    message = cause.message if here else "this line does not go together with the lines around it"
            if message:
                yield problem(mend.code, message, Span(self._text, mend.start, mend.end), fixes=mend.fixes)
        fault = self.result.fault
        if fault is not None:
            at = fault.began if fault.kind is Kind.QUOTE else fault.at
            line = self._clean.position(at).line
            end = self._text.starts[line] + len(self._clean.line(line))
            yield problem("yaml.syntax", fault.message, Span(self._text, min(at, end), end))

    def _step(self, fault: Fault) -> bool:
        """Find one mend that lets the parser get farther; False where none does."""
        best: tuple[int, tuple[Mend, ...], Attempt] | None = None
        now = self._progress(self.result, fault)
        left = self._most
        for mends in self._candidates(fault):
            if self.parses >= self._most or left <= 0:
                break
            result = self._parse(mends)
            left -= 1
            reached = self._progress(result, result.fault)
            if mends[0].telling and result.fault is not None and self._goes_on(fault, result.fault):
                reached = self._clean.position(result.fault.at).line
            if best is None or reached > best[0]:
                best = (reached, mends, result)
            if result.fault is None:
                if result.composer.findings.duplicates <= self.result.composer.findings.duplicates:
                    break
                left = min(left, 2)  # two keys that became one: perhaps the next way does not mix them up
            elif reached > now and (reached > now + 2 or reached == self._hint or self._tells(reached, result.fault)):
                break
        if best is None or best[0] <= now:
            return False
        _, mends, self.result = best
        self._accept(mends, fault)
        return True

    def _goes_on(self, fault: Fault, later: Fault) -> bool:
        """Whether the same bracket is read on below the line of a fault: then that line was mended, not the first."""
        lines = [self._clean.position(each.at).line for each in (fault, later)]
        return fault.kind is later.kind is Kind.FLOW and fault.began == later.began and lines[0] < lines[1]

    def _accept(self, mends: Iterable[Mend], fault: Fault) -> None:
        for mend in mends:
            self._mended[mend.line] = mend, fault
            start, line = self._text.starts[mend.line], self._clean.line(mend.line)
            patch = mend.patch
            self._reading[mend.line] = line[: patch.start - start] + patch.text + line[patch.end - start :]

    def _candidates(self, fault: Fault) -> Iterator[tuple[Mend, ...]]:
        """What to try, the likeliest first; mostly one mend at a time."""
        lines = self._suspects(self.result, fault)
        hint, late = self._hint, None
        if hint is not None and hint not in self._mended:
            at, began = self._clean.position(fault.at).line, self._clean.position(fault.began).line
            mends = self._mends(hint, fault)
            if lines[0] < hint:
                first = self._mends(lines[0], fault)[0]
                if mends[0].telling:
                    yield first, mends[0]
                if hint <= at and self._certain(lines[0], hint, fault):
                    yield (first,)
            earliest = self._indents.above(began)
            if hint in lines or (hint <= at and (mends[0].telling or (earliest is not None and earliest <= hint))):
                yield from zip(mends)
                lines = [each for each in lines if each != hint]
            elif hint <= at:
                late = mends
        queues = [self._mends(each, fault) for each in lines]
        if late:
            queues.append(late)
        for rank in range(max((len(each) for each in queues), default=0)):
            for queue in queues:
                if rank < len(queue):
                    yield (queue[rank],)

    def _certain(self, first: int, hint: int, fault: Fault) -> bool:
        """Whether a quote that was opened above the hint cannot have been meant to reach it."""
        if swallower(self._clean, self.result.composer.root, fault) == first:
            return True
        return fault.kind is Kind.QUOTE and hint not in self._indents.deeper(first)

    def _mends(self, number: int, fault: Fault) -> list[Mend]:
        place = standing(self._clean, self.result.composer.root, number, self._reading)
        if not believable(self._clean, place, number):
            place = Standing()
        return list(self._mender.mends(number, place, fault))

    def _tells(self, number: int, fault: Fault) -> bool:
        return self._mends(number, fault)[0].telling

    def _progress(self, result: Attempt, fault: Fault | None) -> int:
        if fault is None:
            return len(self._clean.starts)
        return self._suspects(result, fault)[0]

    def _suspects(self, result: Attempt, fault: Fault) -> list[int]:
        return suspects(self._clean, result, fault, self._indents, self._reading)

    def _parse(self, mends: tuple[Mend, ...] = ()) -> Attempt:
        self.parses += 1
        patches = {line: mend.patch for line, (mend, _) in self._mended.items()}
        patches.update({mend.line: mend.patch for mend in mends})
        return attempt(self._text, Mended(self._clean.content, patches.values()), pure=self._pure)
