"""What a home's templates write in common places: queues, images, names; collected off the request path."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ajkit.shared.files import FileProblem
from ajkit.shared.template.parse import parse_bytes
from ajkit.shared.template.secrets import is_secret
from ajkit.shared.template.source import read_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ajkit.shared.files import Files
    from ajkit.shared.template.graph import Graph
    from ajkit.shared.where import Json, KeyPath

NAMES = "<names>"
"""The last step of a place whose values are the keys that people chose there: ``("storage", NAMES)``."""

_BIGGEST = 1 << 18
_LONGEST = 120
_MOST_JOBS = 20
_PROSE = frozenset(("description", "local_dir", "remote_dir", "setup", "image_setup", "command"))
_OF_JOB = ("sku", "identity", "tags", "execution_mode")

Place = tuple[str, ...]
"""A config path with ``*`` for indexes and for names that people choose."""


def place_of(path: KeyPath) -> Place:
    """The place of a value at a config path."""
    place = ["*" if isinstance(step, int) else step for step in path]
    if place[:1] == ["storage"] and len(place) > 1:
        place[1] = "*"
    if place[:3] == ["jobs", "*", "sku"]:
        del place[3:]
    return tuple(place)


class Usage:
    """The values written in the files of one home, with the number of files that write each.

    Nothing is read when a value is asked for: `stale` says whether there is something to read, `read` reads it in small
    steps, `is_reading` whether that is under way.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._found: dict[str, frozenset[tuple[Place, str]]] = {}
        self._counts: dict[Place, Counter[str]] = {}
        self.is_reading = False
        self._complete: tuple[int, int, str] | None = None

    def values(self, place: Place, *, without: str) -> list[tuple[str, int]]:
        """The values at a place, the commonest first, each with its number of files; those of one file do not count."""
        own = self._found.get(without, frozenset())
        counts = self._counts.get(place, Counter())
        found = [(value, count - ((place, value) in own)) for value, count in counts.items()]
        return sorted((each for each in found if each[1]), key=lambda each: (-each[1], each[0]))

    def forget(self, reals: Iterable[str]) -> None:
        """Files changed: they are read again when next asked for."""
        for real in reals:
            found = self._found.pop(real, None)
            if found is None:
                continue
            self._complete = None
            for place, value in found:
                counts = self._counts[place]
                counts[value] -= 1
                if not counts[value]:
                    del counts[value]

    def stale(self, graph: Graph, *, without: str) -> bool:
        """Whether files of the home were never read, or changed since, and nobody is reading them now."""
        return not self.is_reading and self._complete != (id(graph), len(graph.paths), without)

    def read(self, graph: Graph, *, without: str) -> Iterator[None]:
        """Read what is to be read, file by file, as the steps of the iterator are taken."""
        self.is_reading = True
        return self._steps(graph, without)

    def _steps(self, graph: Graph, without: str) -> Iterator[None]:
        try:
            for real, path in list(graph.paths.items()):
                if real not in self._found and real != without:
                    self._put(real, _read(self._files, path))
                    yield
            self._complete = (id(graph), len(graph.paths), without)
        finally:
            self.is_reading = False

    def _put(self, real: str, found: frozenset[tuple[Place, str]]) -> None:
        self._found[real] = found
        for place, value in found:
            self._counts.setdefault(place, Counter())[value] += 1


def _read(files: Files, path: str) -> frozenset[tuple[Place, str]]:
    try:
        data = files.read(path, _BIGGEST)
    except FileProblem:
        return frozenset()
    if len(data) > _BIGGEST:
        return frozenset()
    config = read_template(path, "", parse_bytes(path, data)).values
    return frozenset(used(config)) if config is not None else frozenset()


def used(config: Mapping[str, Json]) -> Iterator[tuple[Place, str]]:
    """The values of a config that are worth proposing elsewhere; secrets never are."""
    for section in ("target", "environment", "code"):
        yield from _texts((section,), config.get(section))
    storage = config.get("storage")
    for name, entry in storage.items() if isinstance(storage, dict) else ():
        yield ("storage", NAMES), name
        yield from _texts(("storage", "*"), entry)
    jobs = config.get("jobs")
    for job in jobs[:_MOST_JOBS] if isinstance(jobs, list) else ():
        if isinstance(job, dict):
            yield from _job(job)
    extra = config.get("_extra")
    for service, options in extra.items() if isinstance(extra, dict) else ():
        yield from _texts(("_extra", service), options)


def _job(job: Mapping[str, Json]) -> Iterator[tuple[Place, str]]:
    place = ("jobs", "*")
    sku = job.get("sku")
    yield from _texts(place, {key: job.get(key) for key in _OF_JOB})
    yield from _texts(
        place, {f"sku {key}": each for key, each in sku.items()} if isinstance(sku, dict) else None, "sku"
    )
    arguments = job.get("submit_args")
    if isinstance(arguments, dict):
        yield from _texts((*place, "submit_args", "container_args"), arguments.get("container_args"))
        env = arguments.get("env")
        yield from (((*place, "submit_args", "env", NAMES), name) for name in (env if isinstance(env, dict) else ()))


def _texts(place: Place, section: Json, at: str = "") -> Iterator[tuple[Place, str]]:
    """The texts of a mapping, and of the lists of texts in it; all at one key where `at` says so."""
    for key, value in section.items() if isinstance(section, dict) else ():
        if key in _PROSE:
            continue
        if isinstance(value, str) and _worth(key, value):
            yield (*place, at or key), value
        elif isinstance(value, list):
            yield from (((*place, key, "*"), each) for each in value if isinstance(each, str) and _worth(key, each))


def _worth(key: str, value: str) -> bool:
    return 0 < len(value) <= _LONGEST and "\n" not in value and not is_secret(key, value)
