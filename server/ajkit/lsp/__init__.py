"""The language server: a thin program on the engine."""
