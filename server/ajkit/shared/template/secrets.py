"""What looks like a secret, by the name it has or by its form; and texts and values with such parts masked."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ajkit.shared.template.needles import Needles, holders

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ajkit.shared.where import Json

MASK = "***"

_SECRET = 3
_CREDENTIAL = 2
_PERHAPS = 1

_LAST_WORDS = {
    **dict.fromkeys(("password", "passwd", "passphrase", "pwd", "secret", "secrets", "credential"), _SECRET),
    **dict.fromkeys(("credentials", "apikey", "accesskey", "secretkey", "privatekey", "accountkey"), _SECRET),
    **dict.fromkeys(("token", "sas"), _CREDENTIAL),
    **dict.fromkeys(("key", "pat"), _PERHAPS),
}
"""How much the last word of a name says: a secret even when it is a number, a secret text, or perhaps a secret text."""

_STRONGER = (
    "api|access|secret|private|account|storage|auth|subscription|encryption|signing|shared|client|ssh|deploy|license"
)
"""Words that make the "key" after them a secret."""

_HARMLESS = (
    "pad|eos|bos|sep|cls|mask|unk|special|image|video|audio|text|vision|think|stop|start|end|begin|first|last|next|max|min|"
    "num|per|prompt|trigger|mod|lang|language|public|primary|foreign|sort|cache|partition|group"
)
"""Words that make the "token" or "key" after them harmless: ``PAD_TOKEN``, ``PUBLIC_KEY``."""

_SUFFIXES = frozenset(("dev", "prod", "test", "staging", "read", "write", "ro", "rw", "value", "old", "new"))
"""Words that may follow the one that decides: ``HF_TOKEN_READ``."""

_TAILS = frozenset(each[-3:] for each in (*_LAST_WORDS, *_SUFFIXES)) | {"_ro", "_rw", "-ro", "-rw"}
"""The last three letters of every name that can be a secret's: all that is looked at of most names."""

_SHORTEST = 6
SHORTEST_FORM = 12
"""No text shorter than this shows a secret by its form."""
_WORD = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"

_ELSEWHERE = r"[$@~/\\<{*]|\.{1,2}/|%\w+%|%\(|[A-Za-z]:\\|[a-z][a-z0-9+.-]*://|(file|env):"
"""How a value begins that only names a secret: a variable, a path, an address, a mask."""

_VARIABLE = r"[$<{*]|%\w+%|%\("

_PLACEHOLDER = (
    r"(?i)[<\[({].*[>\])}]|x{3,}|\.{3,}|your[-_ ].+|(insert|replace|enter)[-_ ].+|.+[-_ ]here|change[-_]?me|dummy|fake|"
    r"empty|none|null|unset|undefined|default|true|false|enabled|disabled|example|placeholder|redacted|anonymous"
)
_RANDOM = r"(?=.*\d)(?=.*[A-Za-z])([A-Za-z0-9+/=]{16,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})"

_compiled = cache(re.compile)
"""Patterns are compiled when a name or text first asks for them: most templates ask for few."""


@lru_cache(maxsize=4096)
def _says(name: str) -> int:
    """How much a name says of its value."""
    words = [each.lower() for each in _compiled(_WORD).findall(name)]
    while words and (words[-1] in _SUFFIXES or words[-1].isdigit()):
        words.pop()
    if not words:
        return 0
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in ("token", "key") and _compiled(_HARMLESS).fullmatch(before):
        return 0
    return _SECRET if last == "key" and _compiled(_STRONGER).fullmatch(before) else _LAST_WORDS.get(last, 0)


def is_secret(name: str, value: Json) -> bool:
    """Whether a value is a secret in plain text, judged by its name (``HF_TOKEN``) or its form.

    Variables (``$NAME``), secret references, paths, addresses, placeholders, switches and short values are none.
    """
    return named_secret(name, value) or (isinstance(value, str) and next(_formed(value), None) is not None)


def named_secret(name: str, value: Json) -> bool:
    """Whether a value is a secret in plain text, judged by its name alone."""
    if name.rstrip("0123456789_-")[-3:].lower() not in _TAILS:
        return False
    says = _says(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return says == _SECRET and len(str(value)) >= _SHORTEST
    if not says or not isinstance(value, str) or len(value) < _SHORTEST or _compiled(_ELSEWHERE).match(value):
        return False
    if _compiled(_PLACEHOLDER).fullmatch(value) or (says < _SECRET and (" " in value or value.isdigit())):
        return False
    return says > _PERHAPS or _is_random(value)


def _is_random(value: str) -> bool:
    return _compiled(_RANDOM).fullmatch(value) is not None


_FORMS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("sig=",), r"\bsig=(?P<s>[A-Za-z0-9%+/=_-]{20,})"),
    (("?sig=", "&sig="), r"[?&]sig=(?P<s>(?![A-Z_-]+\b)[A-Za-z0-9%+/=_-]{6,})"),
    (("Key=", "key="), r"\b(?:Account|SharedAccess|Access)Key=(?P<s>[A-Za-z0-9+/=]{16,})"),
    (("==",), r"(?<![A-Za-z0-9+/])(?P<s>[A-Za-z0-9+/]{86}==)"),
    (
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?P<s>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{22,})",
    ),
    (("hf_",), r"(?P<s>hf_[A-Za-z0-9]{20,})"),
    (("sk-",), r"\b(?P<s>sk-(?=[\w-]{0,200}\d)[\w-]{20,})"),
    (("AKIA", "ASIA"), r"\b(?P<s>A[KS]IA[A-Z0-9]{16})\b"),
    (("AIza", "ya29."), r"\b(?P<s>AIza[\w-]{35}|ya29\.[\w-]{20,})"),
    (("eyJ",), r"\b(?P<s>eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,})"),
    (("xox",), r"\b(?P<s>xox[abeprs]-[A-Za-z0-9-]{10,})"),
    (("glpat-", "npm_", "pypi-", "nvapi-"), r"\b(?P<s>(?:glpat-|npm_|pypi-|nvapi-)[\w-]{20,})"),
    (("wandb_v1_", "local-"), r"\b(?P<s>wandb_v1_\w{20,}|local-[0-9a-f]{40})\b"),
    (("Q~",), r"(?<![\w~.-])(?P<s>[\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])"),
    (("PRIVATE KEY",), r"(?P<s>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))"),
    (("@",), r"://[^\s/:@\"']*:(?P<s>[^\s/@\"']{3,})@"),
    (("@",), r"://(?P<s>(?=\w*\d)\w{20,})@"),
    (("uthorization:",), r"uthorization:\s*(?i:bearer|basic|token)\s+(?P<s>(?![A-Z_-]+\b)[\w.~+/=-]{6,})"),
    (("earer", "BEARER"), r"\b(?:[Bb]earer|BEARER)\s+(?P<s>(?=\S*\d)[A-Za-z0-9._~+/=-]{16,})"),
    (("login",), r"\bwandb\s+login\s+(?:--?[\w-]+\s+)*(?P<s>[A-Za-z0-9_-]{20,})"),
    (("login", "sshpass"), r"\b(?:docker\s+login\b[^\n|;&]{0,200}?|sshpass)\s+-p\s*[\"']?(?P<s>[^\s\"']{4,})"),
)
"""Forms of secrets: what to look for first (one of them must be there), and the pattern whose group is the secret."""

_VALUE = r"\\?\"(?P<d>[^\"\\\n]+)|'(?P<q>[^'\n]+)|"
_OPTION = rf"(?<![\w-])(?P<name>--?[A-Za-z][\w-]*)(?:=|[ \t]+)(?:{_VALUE}(?P<s>[^\s\"'\\-][^\s\"'\\;&|)]*))"
_VARIABLE_SET = rf"(?<![\w.-])(?P<name>[A-Za-z_][\w.\[\]-]{{0,200}})=(?:{_VALUE}(?P<s>[^\s\"'\\;&|),]+))"
_ENTRY = (
    r"(?m)(?:^[ \t]*(?:-[ \t]+)?|[{,]\s*)[\"']?(?P<name>[A-Za-z_][\w.-]*)[\"']?[ \t]*:[ \t]*"
    rf"(?:{_VALUE}(?P<s>[^\s\"'{{\[,}}|>&*][^\n,}}]*))"
)
"""A name and its value: an option of a command, a variable that a shell sets, an entry of YAML or JSON."""

_NAMED: tuple[str, ...] = (
    "key",
    "token",
    "secret",
    "secrets",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "sas",
    "pat",
)
_NAMED += ("credential", "credentials")
"""One of these, in lower case and at the end of a word, is in every name that makes what follows it a secret."""


_FORM_NEEDLES = Needles((needle for needles, _ in _FORMS for needle in needles), [*"=~IJB", "gh"])
_NAME_NEEDLES = Needles(_NAMED, ("secret", "pass", "credential"))


def _formed(text: str) -> Iterator[tuple[int, int]]:
    """Where in a text secrets stand that show by their form."""
    for needles, pattern in _FORMS:
        if any(needle in text for needle in needles):
            for found in _compiled(pattern).finditer(text):
                if not _compiled(_VARIABLE).match(found["s"]):
                    yield found.span("s")


def _assigned(text: str) -> Iterator[tuple[int, int]]:
    """Where in a text secrets stand that show by the name in front of them."""
    if not any(True for _ in _name_places(text)):
        return
    for pattern in (_OPTION, _VARIABLE_SET, _ENTRY):
        for found in _compiled(pattern).finditer(text):
            name, part = found["name"], found.lastgroup or "s"
            value = found[part].partition(" #")[0].rstrip() if pattern is _ENTRY else found[part]
            # A lower-case word before a "=" may as well be a keyword argument of code: token=tokenizer.
            if pattern is _VARIABLE_SET and name.islower() and _says(name) < _SECRET and not _is_random(value):
                continue
            if named_secret(name, value):
                yield found.start(part), found.start(part) + len(value)


def suspects(texts: Sequence[str]) -> list[int]:
    """The indexes of the texts that may hold a secret: a quick look at many, so that `spans` is asked of few."""
    joined = "\n".join(texts)
    return holders(texts, [*_form_places(joined), *_name_places(joined)])


def suspect_names(names: Sequence[str]) -> list[int]:
    """The indexes of the names that may be a secret's, so that `named_secret` is asked of few."""
    return holders(names, [*_name_places("\n".join(names))])


def hold_no_secret(names: str, text: str) -> bool:
    """Whether there is certainly no secret in a text, nor one of a name; each may be many of them, a line for each."""
    return not any(True for _ in _form_places(text)) and not any(True for _ in _name_places(f"{names}\n{text}"))


def _form_places(text: str) -> Iterator[int]:
    """Where in a text something stands that is part of secrets of some form."""
    return (start for start, _ in _FORM_NEEDLES.found(text))


def _name_places(text: str) -> Iterator[int]:
    """Where in a text a word ends as the names of secrets do, in any case."""
    lower = text.lower()
    return (start for start, end in _NAME_NEEDLES.found(lower) if not lower[end : end + 1].isalpha())


def spans(text: str) -> list[tuple[int, int]]:
    """Where in a text (a command, a log, an error) secrets stand: start and end offsets, in order, none overlapping."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted({*_formed(text), *_assigned(text)}):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def mask(text: str, known: Collection[str] = ()) -> str:
    """A text with every secret in it written ``***``, those of `known` too; masking twice changes nothing."""
    text = _without(text, known)
    at = 0
    parts = []
    for start, end in spans(text):
        parts += [text[at:start], MASK]
        at = end
    return "".join(parts) + text[at:]


def _without(text: str, known: Collection[str]) -> str:
    for each in sorted(known, key=len, reverse=True):
        text = text.replace(each, MASK)
    return text


def known_secrets(value: Json) -> frozenset[str]:
    """The secrets that the names in a config or a JobSpec give away, to be masked wherever else they turn up."""
    return frozenset(_known(value, "", _suspected(value)))


def _suspected(value: Json) -> frozenset[str]:
    """The texts in a value that may hold a secret: one look at all of them, so that few have to be searched."""
    texts: list[str] = []
    todo = [value]
    for each in todo:
        if isinstance(each, str):
            texts.append(each)
        elif isinstance(each, dict | list):
            todo.extend(each.values() if isinstance(each, dict) else each)
    return frozenset(texts[index] for index in suspects(texts))


def _known(value: Json, name: str, suspected: Collection[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _known(below, key, suspected)
    elif isinstance(value, list):
        for below in value:
            yield from _known(below, "", suspected)
    elif named_secret(name, value):
        yield str(value)
    elif isinstance(value, str) and value in suspected:
        yield from (value[start:end] for start, end in spans(value))


def masked(value: Json, name: str = "") -> Json:
    """A config, a JobSpec or a part of one with its secrets masked; `name` is the key that the value stands at.

    Secret references stay readable, as do variables; a secret that an entry's name gives away is masked in every other
    text as well.
    """
    suspected = _suspected(value)
    return _masked(value, name, frozenset(_known(value, name, suspected)), suspected)


def _masked(value: Json, name: str, known: frozenset[str], suspected: Collection[str]) -> Json:
    if isinstance(value, dict):
        return {key: _masked(below, key, known, suspected) for key, below in value.items()}
    if isinstance(value, list):
        return [_masked(below, "", known, suspected) for below in value]
    if named_secret(name, value):
        return MASK
    if not isinstance(value, str):
        return value
    return mask(value, known) if value in suspected else _without(value, known)
