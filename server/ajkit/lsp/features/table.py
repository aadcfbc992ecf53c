"""Which request is answered by which feature: one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.commands import differences, inheritance, jobs, preview, submit, templates
from ajkit.lsp.commands.explain import explain
from ajkit.lsp.features import definition, diagnostics, hierarchy, previewed, rename, structure, tokens
from ajkit.lsp.features.actions import code_actions
from ajkit.lsp.features.completion import completion
from ajkit.lsp.features.content import text_document_content
from ajkit.lsp.features.hover import hover
from ajkit.lsp.features.inlays import inlay_hints
from ajkit.lsp.features.lenses import code_lenses
from ajkit.lsp.features.links import document_links
from ajkit.lsp.features.references import highlights, references
from ajkit.lsp.features.workspace_symbols import workspace_symbols
from ajkit.lsp.indexing import once_known
from ajkit.lsp.previews import or_in_preview

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

REQUESTS: dict[str, Callable[[Session, Client, Any], Any]] = {
    "textDocument/codeAction": code_actions,
    "textDocument/codeLens": code_lenses,
    "textDocument/completion": completion,
    "textDocument/declaration": definition.declaration,
    "textDocument/definition": or_in_preview(definition.definition, previewed.definition),
    "textDocument/diagnostic": diagnostics.document,
    "textDocument/documentHighlight": highlights,
    "textDocument/documentLink": or_in_preview(document_links, previewed.document_links),
    "textDocument/documentSymbol": structure.document_symbols,
    "textDocument/foldingRange": structure.folding_ranges,
    "textDocument/hover": or_in_preview(hover, previewed.hover),
    "textDocument/inlayHint": inlay_hints,
    "textDocument/prepareRename": rename.prepare,
    "textDocument/prepareTypeHierarchy": hierarchy.prepare,
    "textDocument/references": once_known(references),
    "textDocument/rename": once_known(rename.rename),
    "textDocument/selectionRange": structure.selection_ranges,
    "textDocument/semanticTokens/full": tokens.full,
    "textDocument/semanticTokens/range": tokens.in_range,
    "typeHierarchy/subtypes": once_known(hierarchy.subtypes),
    "typeHierarchy/supertypes": hierarchy.supertypes,
    "workspace/diagnostic": diagnostics.workspace,
    "workspace/textDocumentContent": text_document_content,
    "workspace/willRenameFiles": once_known(rename.will_rename_files),
    "workspace/symbol": workspace_symbols,
}
"""Method to feature: ``feature(session, client, params)`` gives the answer with spans in place of ranges."""

COMMANDS: dict[str, Callable[[Session, Client, list[Any]], Any]] = {
    "aj.bases": inheritance.bases,
    "aj.cancelJob": jobs.cancel_job,
    "aj.dependents": inheritance.dependents,
    "aj.diff": differences.diff,
    "aj.dryRun": submit.dry_run,
    "aj.explain": explain,
    "aj.followLogs": jobs.follow_logs,
    "aj.graph": templates.graph,
    "aj.impact": differences.impact,
    "aj.jobLogs": jobs.job_logs,
    "aj.jobSpec": jobs.job_spec,
    "aj.jobs": jobs.jobs,
    "aj.merged": preview.merged,
    "aj.preview": preview.preview,
    "aj.revealInPreview": preview.reveal,
    "aj.status": templates.status,
    "aj.submit": submit.submit,
    "aj.templates": templates.templates,
}
"""Command to feature: ``command(session, client, arguments)``."""
