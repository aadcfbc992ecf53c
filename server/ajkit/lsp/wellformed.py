"""Whether the parameters of a request have the form that its method needs; features then need not look again."""

from __future__ import annotations

from typing import Any

from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed

_POSITIONED = frozenset(
    f"textDocument/{name}"
    for name in (
        "completion",
        "declaration",
        "definition",
        "documentHighlight",
        "hover",
        "prepareRename",
        "prepareTypeHierarchy",
        "references",
        "rename",
    )
)
_RANGED = frozenset({"textDocument/codeAction", "textDocument/inlayHint", "textDocument/semanticTokens/range"})
_NEEDED = {
    "textDocument/rename": ("newName", str),
    "textDocument/selectionRange": ("positions", list),
    "typeHierarchy/subtypes": ("item", dict),
    "typeHierarchy/supertypes": ("item", dict),
    "workspace/executeCommand": ("command", str),
    "workspace/textDocumentContent": ("uri", str),
    "workspace/willRenameFiles": ("files", list),
}


def require(method: str, params: Any) -> None:
    """Look at the parameters of a request.

    Raises:
        RequestFailed: something that the method needs is missing or of another type.
    """
    if not isinstance(params, dict):
        raise _wrong(method, "an object is needed")
    if method.startswith("textDocument/") and not isinstance(_inside(params, "textDocument", "uri"), str):
        raise _wrong(method, "textDocument.uri is needed")
    if method in _POSITIONED and not _is_position(params.get("position")):
        raise _wrong(method, "a position is needed")
    if method in _RANGED and not all(_is_position(_inside(params, "range", end)) for end in ("start", "end")):
        raise _wrong(method, "a range is needed")
    if method in _NEEDED:
        name, kind = _NEEDED[method]
        if not isinstance(params.get(name), kind):
            raise _wrong(method, f"{name} is needed")
    if not all(_is_position(each) for each in params.get("positions") or ()):
        raise _wrong(method, "positions are needed")


def _inside(params: dict[str, Any], outer: str, inner: str) -> Any:
    value = params.get(outer)
    return value.get(inner) if isinstance(value, dict) else None


def _is_position(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(each), int) for each in ("line", "character"))


def _wrong(method: str, what: str) -> RequestFailed:
    return RequestFailed(f"{method}: {what}", INVALID_PARAMS)
