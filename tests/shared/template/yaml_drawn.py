"""YAML texts as people write them, drawn at random: blocks and brackets, comments, blank lines, any line end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from random import Random

KEYS = ["a", "b", "name", "'quoted'", "x.y", "on", "7"]
PLAIN = ["x", "5", "0.5", "'q: # z'", '"d\\n"', "null", "~", "true", "two words", "{}", "[]"]
BLOCKS = ["|", "|-", ">", "|+", ">-"]


@dataclass
class _Writer:
    random: Random
    newline: str
    step: int
    dash: int

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def container(self, depth: int, indent: int) -> list[str]:
        return self.mapping(depth, indent) if self.chance(0.7) else self.items(depth, indent)

    def mapping(self, depth: int, indent: int) -> list[str]:
        lines: list[str] = []
        for key in self.random.sample(KEYS, self.random.randint(1, 3)):
            self.between(lines, indent)
            lines += self.value(f"{key}:", depth, indent, self.step, self.dash)
        return lines

    def items(self, depth: int, indent: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            self.between(lines, indent)
            if depth and self.chance(0.4):
                inner = self.mapping(depth - 1, indent + 2)
                while not inner[0].strip() or inner[0].lstrip().startswith("#"):
                    inner.pop(0)
                lines += [f"{' ' * indent}- {inner[0][indent + 2 :]}", *inner[1:]]
            else:
                lines += self.value("-", depth, indent, 2, 2)
        return lines

    def value(self, head: str, depth: int, indent: int, step: int, dash: int) -> list[str]:
        start = " " * indent + head
        kind = self.random.random()
        if depth and kind < 0.35:
            listed = self.chance(0.4)
            inner = (self.items if listed else self.mapping)(depth - 1, indent + (dash if listed else step))
            return [start + self.comment(), *inner]
        if kind < 0.5:
            pad = " " * (indent + step)
            text = [f"{pad}{word}" for word in ("text", "", "  more", "end")[: self.random.randint(1, 4)]]
            header = self.random.choice(BLOCKS)
            blank = [""] * self.random.randint(0, 2)
            return [f"{start} {header}", *(line.rstrip() for line in text), *blank]
        if kind < 0.6:
            return [start + self.comment()]
        if kind < 0.75:
            return [f"{start} {line}" if index == 0 else line for index, line in enumerate(self.flow(2, indent))]
        if kind < 0.8:
            return [f"{start} several", f"{' ' * (indent + step)}words" + self.comment()]
        return [f"{start} {self.random.choice(PLAIN)}{self.comment()}"]

    def flow(self, depth: int, indent: int) -> list[str]:
        """A container in brackets, on one line or with a line for each of what it holds."""
        mapping = self.chance(0.6)
        parts = []
        for key in self.random.sample(KEYS, self.random.randint(0, 3)):
            inner = " ".join(self.flow(depth - 1, 0)) if depth and self.chance(0.2) else self.random.choice(PLAIN)
            parts.append(f"{key}: {inner}" if mapping else inner)
        opening, closing = "{}" if mapping else "[]"
        last = "," if parts and self.chance(0.2) else ""
        if indent and parts and self.chance(0.4):
            pad = " " * (indent + self.step)
            return [opening, *(f"{pad}{each}," for each in parts[:-1]), f"{pad}{parts[-1]}{last}", f"{pad}{closing}"]
        blank = " " if self.chance(0.2) else ""
        return [f"{opening}{blank}{', '.join(parts)}{last}{blank}{closing}"]

    def comment(self) -> str:
        return self.random.choice(["", "", "", "  # note", " # a: b"])

    def between(self, lines: list[str], indent: int) -> None:
        if lines and self.chance(0.15):
            lines.append(" " * self.random.choice([indent, indent, 0, indent + 3]) + "# a comment")
        if lines and self.chance(0.1):
            lines.append("")


def _text(random: Random) -> str:
    step = random.choice([2, 2, 4])
    writer = _Writer(random, random.choice(["\n", "\n", "\r\n"]), step, random.choice([0, 2, step]))
    lines = ["# first"] if writer.chance(0.2) else []
    lines += ["---"] if writer.chance(0.1) else []
    lines += writer.flow(2, 0) if writer.chance(0.05) else writer.container(3, 0)
    return writer.newline.join(lines) + ("" if writer.chance(0.2) else writer.newline)


def drawn_yaml() -> st.SearchStrategy[str]:
    """Whole documents."""
    return st.randoms(use_true_random=False).map(_text)
