"""Hover: what a key is worth here, who set it, what that overrode, by which rule, along which road."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any

from ajkit.lsp.excerpt import excerpt
from ajkit.lsp.impact import standing
from ajkit.lsp.markup import Markup
from ajkit.lsp.provenance import provenance
from ajkit.lsp.reading import template_of
from ajkit.lsp.spans import unquoted
from ajkit.shared.job.variables import meaning
from ajkit.shared.sku import SKU_PATH, choose_sku, fill
from ajkit.shared.template.names import base_path
from ajkit.shared.template.query import base_at, spot_at
from ajkit.shared.template.secrets import masked
from ajkit.shared.where import Span, format_keypath

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.template.query import Spot
    from ajkit.shared.template.source import BaseRef
    from ajkit.shared.where import Json

DEPTH = 6
"""How many levels of bases a chain shows."""

_VARIABLE = re.compile(r"\$\$?\{?(?P<name>[A-Z][A-Z0-9_]*)\}?|(?P<bare>\bAJ_[A-Z0-9_]+)")
_PLACEHOLDERS = {
    "{nodes}": "the number of nodes: `-n`, else `jobs[0].instance_count`",
    "{processes}": "the per-node selector: `-p`, else `target.gpus_per_node`",
}


def hover(session: Session, client: Client, params: dict[str, Any]) -> dict[str, Any] | None:
    """`textDocument/hover`: the effective value, who set it, what that overrode, by which rule, along which road."""
    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    markup = Markup(session.uri_of, session.is_unsaved, markdown=client.markdown)
    ref = base_at(view.file, offset)
    if ref is not None:
        _base(markup, session, view, ref)
        return {"contents": markup.contents(), "range": unquoted(ref.span)}
    spot = spot_at(view.file, offset)
    if spot is None:
        return None
    if (word := _variable(view, spot, offset)) is not None:
        markup.title(word[0])
        markup.line(word[1])
        return {"contents": markup.contents(), "range": word[2]}
    if spot.path in (("base",), ("config",)) and spot.on_key:
        _merged(markup, session, view)
    elif spot.in_config:
        _value(markup, session, view, spot)
    return {"contents": markup.contents(), "range": _range(view, spot)} if markup.has_lines else None


def _range(view: View, spot: Spot) -> Span:
    return view.file.document.span(spot.entry if spot.on_key and spot.entry else spot.node)


def _value(markup: Markup, session: Session, view: View, spot: Spot) -> None:
    path = spot.config_path
    trail = view.resolved.trail(path)
    service = view.examined.service
    doc = session.docs.of(path, service.name if service else None)
    markup.title(format_keypath(path), doc.type if doc else None)
    if doc and doc.description:
        markup.line(doc.description)
    if trail is None:
        return
    name = str(path[-1]) if path else ""
    if isinstance(trail.value, dict | list) and trail.value:
        markup.block(_yaml({name: masked(trail.value, name)}, session.settings.hover_nodes))
    provenance(markup, trail)
    impact = session.impacts.of(session, view)
    if effect := impact.effects.get(path):
        markup.line(f"In the templates that extend this file: {standing(effect, impact)}.")
    if path[: len(SKU_PATH)] == SKU_PATH:
        _sku(markup, session, view)


def _sku(markup: Markup, session: Session, view: View) -> None:
    """What the SKU comes to under the shape of the preview."""
    preview, config = session.settings.preview, view.resolved.config
    nodes = preview.nodes or _number(config, "jobs", 0, "instance_count")
    selector = preview.processes if preview.processes is not None else _number(config, "target", "gpus_per_node")
    trail = view.resolved.trail(SKU_PATH)
    if trail is None or nodes is None:
        return
    chosen = choose_sku(trail.value, nodes)
    if isinstance(chosen, tuple):
        text = fill(chosen[1], nodes, selector if selector is not None else "‹-p›")
        shape = f"-n {nodes}" + (f" -p {selector}" if selector is not None else "")
        markup.line(f"With {markup.code(shape)} this is {markup.code(text)}.")


def _number(config: Json, *path: str | int) -> int | None:
    value = config
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _variable(view: View, spot: Spot, offset: int) -> tuple[str, str, Span] | None:
    """A variable or placeholder of ours under the cursor: its name, meaning and place."""
    if spot.on_key and not (spot.path[-1:] and str(spot.path[-1]).startswith("AJ_")):
        return None
    start, end = (spot.entry.start, spot.entry.end) if spot.on_key and spot.entry else (spot.node.start, spot.node.end)
    content = view.text.content
    for found in _VARIABLE.finditer(content, max(start, offset - 200), min(end, offset + 200)):
        name = found["name"] or found["bare"]
        if found.start() <= offset <= found.end() and (means := meaning(name)):
            return name, means, Span(view.text, found.start(), found.end())
    if spot.config_path[: len(SKU_PATH)] == SKU_PATH:
        for placeholder, means in _PLACEHOLDERS.items():
            at = content.find(placeholder, max(start, offset - len(placeholder)), min(end, offset + len(placeholder)))
            if 0 <= at <= offset <= at + len(placeholder):
                return placeholder, means, Span(view.text, at, at + len(placeholder))
    return None


def _merged(markup: Markup, session: Session, view: View) -> None:
    markup.title("merged config", f"{len(view.resolved.chain)} files" if len(view.resolved.chain) > 1 else None)
    if view.resolved.config:
        markup.block(_yaml(_shown(view.resolved.config), session.settings.hover_nodes))
    else:
        markup.line("Nothing is set.")


def _base(markup: Markup, session: Session, view: View, ref: BaseRef) -> None:
    """A base: where it is, what it brings, its own chain."""
    path = base_path(ref.name, posixpath.dirname(view.file.real), view.home)
    if path is None or session.files.kind(path) != "file":
        problem = next((each for each in view.file_problems if each.span == ref.span), None)
        markup.title(ref.name)
        markup.line(problem.message if problem else "This base leads to no file.")
        return
    shown = session.engine.shown(path, view.home)
    real = session.files.real(path)
    markup.title(ref.name)
    markup.line(markup.file(shown) + (f" → {real}" if real != shown else ""))
    merged = next((each for each in view.resolved.everything if each.file.real == real), None)
    if merged is not None and merged.value:
        markup.block(_yaml(_shown(merged.value), session.settings.hover_nodes))
    chain = list(_chain(session, view.home, shown, 0, {view.file.real}))
    if len(chain) > 1:
        markup.block("\n".join(chain), "text")


def _chain(session: Session, home: str | None, path: str, depth: int, above: set[str]) -> Any:
    """A file and its bases below it, indented; files met on the way up are not entered again."""
    file = template_of(session, path)
    name = posixpath.basename(path)
    if file is None or file.real in above or depth > DEPTH:
        yield f"{'  ' * depth}{name} …"
        return
    yield f"{'  ' * depth}{name}"
    for ref in file.bases:
        target = base_path(ref.name, posixpath.dirname(file.real), home)
        if target is not None and session.files.kind(target) == "file":
            yield from _chain(session, home, session.engine.shown(target, home), depth + 1, {*above, file.real})
        else:
            yield f"{'  ' * (depth + 1)}{ref.name} (missing)"


def _shown(config: dict[str, Json]) -> dict[str, Json]:
    """A config with its secrets masked."""
    return {key: masked(value, key) for key, value in config.items()}


def _yaml(value: dict[str, Json], budget: int) -> str:
    from ajkit.shared.template.yamltext import yaml_text

    cut = excerpt(value, budget)
    return yaml_text(cut) if isinstance(cut, dict) else str(cut)
