"""Jobs on amlt, for templates of its own dialect."""

from __future__ import annotations
