"""A small home with a leaf and a cursor in it: what is proposed there, and the text after an item was accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.lsp.accepting import accepted
from tests.lsp.fixture import editor

if TYPE_CHECKING:
    from tests.lsp.fixture import Editor

COMPLETION = "textDocument/completion"

HOME = """
--- .aj/template/common.yaml
config:
  target: {queue: big}
  environment:
    image: nvcr.io/pytorch:24.07
    setup: [pip install torch]
--- .aj/template/gpu.yaml
config: {}
--- .aj/template/above.yaml
base: leaf
config: {}
--- .aj/storage/data.yaml
# Where the data sets are.
base: accounts
config:
  storage:
    data: {storage_account_name: acc, container_name: sets, mount_dir: /mnt/data}
--- .aj/storage/accounts.yaml
config: {}
--- .aj/storage/deep/er.yaml
config:
  jobs:
    - sku: 4xG8
      tags: [team:a]
      submit_args: {env: {NCCL_DEBUG: INFO, HF_TOKEN: hf_0123456789abcdefghijABCDEFGHIJ}}
"""


def opened(text: str, capabilities: dict[str, Any] | None = None, *, graph: bool = True) -> Editor:
    """A leaf with a cursor beside the other files of the home."""
    return editor("--- .aj/template/leaf.yaml\n" + text.removesuffix("\n") + HOME, capabilities, graph=graph)


def items(text: str, capabilities: dict[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """The items at the cursor by label, in their order."""
    answer = opened(text, capabilities).ask(COMPLETION)
    ordered = sorted(answer["items"], key=lambda each: each["sortText"])
    assert len({each["label"] for each in ordered}) == len(ordered), "each label once"
    return {each["label"]: each for each in ordered}


def accept(text: str, label: str, capabilities: dict[str, Any] | None = None) -> str:
    """The document after an item was accepted."""
    open_document = opened(text, capabilities)
    found = [each for each in open_document.ask(COMPLETION)["items"] if each["label"] == label]
    assert found, f"{label} is not proposed"
    return accepted(open_document, found[0])
