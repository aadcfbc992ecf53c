"""A template with bases, and its previews as a client takes and asks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.previews import preview_uri
from ajkit.shared.where import Text

if TYPE_CHECKING:
    from tests.lsp.fixture import Editor

LEAF_FILE = ".aj/template/leaf.yaml"
LEAF = f"/w/{LEAF_FILE}"
HOME = """
--- .aj/template/leaf.yaml
base: [common, env.setup]
config:
  environment: {image: mine, setup: [echo leaf]}
  jobs:
    - command: [python train.py]
--- .aj/template/common.yaml (open)
base: env.setup
config:
  target: {service: slurm, queue: long, gpus_per_node: 8}
  environment: {image: theirs}
  code: {ignore: ["*.tmp"]}
  jobs:
    - sku: "{nodes}xG{processes}"
      instance_count: 2
      submit_args: {env: {WANDB_API_KEY: abc123secret, LR: "0.1"}}
--- .aj/env/setup.yaml
config:
  environment: {setup: [echo base]}
"""


def shown(there: Editor, kind: str = "merged", path: str = LEAF) -> str:
    """The text of a preview document, taken as a client takes it."""
    text: str = there.ask("workspace/textDocumentContent", uri=preview_uri(kind, path))["text"]
    return text


def within(there: Editor, kind: str, needle: str, method: str = "textDocument/definition") -> Any:
    """The answer to a request on some text of a preview."""
    text = Text("", shown(there, kind))
    position = convert.position(text, text.content.index(needle) + 1, there.session.encoding)
    return there.ask(method, textDocument={"uri": preview_uri(kind, LEAF)}, position=position)
