"""The typed Template: what a merged config means, checked by pydantic, with `raw` kept untouched."""
