"""Drawings of who extends whom: trees of text, Mermaid, Graphviz, JSON and SVG."""
