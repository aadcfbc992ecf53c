"""Variables in shell texts: what aj sets, and what the template's own environment holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.lsp.completing.items import VARIABLE, Item
from ajkit.shared.job.variables import AT_RUN_TIME, FOR_LAUNCHERS, INJECTED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.markup import Markup
    from ajkit.shared.where import KeyPath


def is_shell(path: KeyPath) -> bool:
    """Whether the value at a config path is text that a shell runs."""
    names = [step for step in path if isinstance(step, str)]
    return bool(names) and names[-1] in {"command", "setup", "image_setup"} and names[0] != "storage"


def variable_items(own: Iterable[str], closing: str) -> list[Item]:
    """The names that may follow a dollar; `closing` is written behind them."""
    known = {**INJECTED, **AT_RUN_TIME, **FOR_LAUNCHERS}
    items = [
        _item(name, closing, "set by aj" if name.startswith("AJ_") else "set for launchers", words, rank)
        for rank, names in enumerate((INJECTED, AT_RUN_TIME, FOR_LAUNCHERS), 2)
        for name, words in names.items()
    ]
    items += [
        _item(each, closing, "set by the template's environment", "", 1)
        for each in dict.fromkeys(own)
        if each not in known
    ]
    return items


def _item(name: str, closing: str, detail: str, words: str, rank: int) -> Item:
    def document(markup: Markup) -> None:
        markup.line(words)

    # A brace that closes nothing has to be escaped in a snippet, and this is none.
    return Item(name, VARIABLE, name + ("\\}" if closing else ""), rank, detail, document=document if words else None)
