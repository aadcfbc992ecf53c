"""Jobs on Volcano on Kubernetes."""

from __future__ import annotations
