"""Words and drawings of who extends whom that every front end shows: the family, Mermaid, Graphviz."""
