"""Assembly: a chain's files are merged from its roots up, each once, with their problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import problem
from ajkit.shared.template import faults
from ajkit.shared.template.chain import CHAIN_LIMIT
from ajkit.shared.template.merge import NODE_LIMIT, TooLarge, count_nodes, merge_mappings
from ajkit.shared.template.merged import Inherited, Merged, Written
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.shared.problem import Problem
    from ajkit.shared.template.chain import Chain, Link, Member
    from ajkit.shared.template.merged import Part, Together
    from ajkit.shared.template.source import BaseRef, TemplateFile
    from ajkit.shared.where import Json

CAUSE_LIMIT = 50
"""How many errors below a file are carried up to explain a `base.broken`."""


def merge_chain(chain: Chain, overlays: Sequence[Together] = ()) -> dict[str, Merged]:
    """Merge a chain from its roots up: the results, by real path, of the leaf and all files that were not known yet.

    `overlays` are laid over the leaf after its own config and its overlay bases.
    """
    done = dict(chain.known)
    fresh: dict[str, Merged] = {}
    for group in chain.groups:
        together = frozenset(group)
        for real in group:
            laid = overlays if real == chain.root else ()
            fresh[real] = _merge_member(chain, chain.members[real], together, done, laid)
        done.update((real, fresh[real]) for real in group)
    return fresh


def _merge_member(
    chain: Chain, member: Member, group: frozenset[str], done: dict[str, Merged], overlays: Sequence[Together]
) -> Merged:
    file = member.file
    problems = list(file.problems)
    causes = {each: None for each in problems if each.stops_show}
    parts: list[Part] = []
    settled = file.real not in chain.cut
    on_cycle = False
    height = 0
    deepest: Link | None = None

    def inherit(links: Sequence[Link]) -> None:
        nonlocal settled, on_cycle, height, deepest
        for link in links:
            found, base = _follow(chain, member, link, group, done)
            if found:
                problems.append(found)
                causes.update(dict.fromkeys(base.causes if base and found.code == "base.broken" else [found]))
            if link.target in group:
                on_cycle, settled = True, False
            if base is None:
                continue
            parts.append(Inherited(link.ref, base))
            settled = settled and base.settled
            if base.height > height:
                height, deepest = base.height, link

    inherit(member.links)
    own = None
    if file.values is not None:
        own = Written(file.path, file.document.text, file.values, file.document.nodes, file)
        parts.append(own)
    inherit(member.overlays)
    parts.extend(overlays)
    if deepest and file.real == chain.root and height + 1 > CHAIN_LIMIT:
        found = faults.too_deep(deepest.ref, CHAIN_LIMIT)
        problems.append(found)
        causes[found] = None
    value, nodes = _merge_parts(parts)
    if nodes > NODE_LIMIT:
        found = _too_many(file)
        problems.append(found)
        causes[found] = None
        parts = [own] if own else []
        value, nodes = (dict(own.value), own.nodes) if own else ({}, 1)
    return Merged(
        file,
        tuple(parts),
        value,
        nodes,
        height + 1,
        tuple(problems),
        tuple([each for each in causes if each.stops_show][:CAUSE_LIMIT]),
        on_cycle,
        settled,
        member.tried,
    )


def _merge_parts(parts: Sequence[Part]) -> tuple[dict[str, Json], int]:
    bound = 1 + sum(part.nodes for part in parts)
    try:
        value = merge_mappings([part.value for part in parts])
    except TooLarge:
        return {}, NODE_LIMIT + 1
    return value, bound if bound <= NODE_LIMIT else count_nodes(value)


def _too_many(file: TemplateFile) -> Problem:
    entry = file.base_key or file.config_key
    span = file.document.span(entry) if entry else Span(file.document.text, 0, 0)
    return problem(
        "limit.nodes",
        f"the merged config passes {NODE_LIMIT:,} values: lists reached by several roads of bases double each time",
        span,
    )


def _follow(
    chain: Chain, member: Member, link: Link, group: frozenset[str], done: dict[str, Merged]
) -> tuple[Problem | None, Merged | None]:
    """What one base name gives: a problem, a result, or both."""
    real = member.file.real
    if link.target is None:
        return link.problem, None
    if link.target in group:
        road = [(member.file.path, link.ref)]
        if link.target != real:
            road += chain.road_within(link.target, real, group)
        return faults.cycle(link.ref, road, chain.home, leads_in=False), None
    base = done[link.target]
    if base.on_cycle:
        return faults.cycle(link.ref, _cycle_through(chain, link.target), chain.home, leads_in=True), base
    if base.causes:
        return faults.broken(link.ref, base.causes, chain.home), base
    return None, base


def _cycle_through(chain: Chain, real: str) -> list[tuple[str, BaseRef]]:
    group = next(frozenset(each) for each in chain.groups if real in each)
    return chain.road_within(real, real, group)
