"""What may be written at a cursor: where it stands, what fits there, and how an accepted item leaves valid YAML."""
