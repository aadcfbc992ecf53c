"""One folder per service: describe.py (typed options and hooks, pure), execute.py (the engine), examples/."""
