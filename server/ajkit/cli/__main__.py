"""``python -m ajkit.cli``: the command `aj` where its script is not on PATH."""

from __future__ import annotations

from ajkit.cli.main import main

if __name__ == "__main__":
    main()
