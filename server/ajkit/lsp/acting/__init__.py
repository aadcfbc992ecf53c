"""What code actions do to files: silence a finding, override an inherited value, move a key to a base."""
