"""Drawings of who extends whom for the command line: trees of text, and SVG."""
