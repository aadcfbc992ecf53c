# The few verbs people try first. `make help` lists them.

PYTHON ?= python3
# Another Python gets an environment of its own: `make test PYTHON=python3.13`.
VENV ?= .venv$(patsubst %,-%,$(filter-out python3,$(notdir $(PYTHON))))
ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
PINNED := $(PIP) install -qq --no-deps --require-hashes
UV := .venv-lock/bin/uv
COMPILE := $(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command "make lock" $(ARGS)

.DEFAULT_GOAL := help
.PHONY: help setup setup-e2e demo test lint types fmt bench soak vsix lock clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.ready ## make the environment (.venv) that everything runs in, as pinned by the lock file

setup-e2e: ## install the editors that the tests drive, below .e2e (Node 20, npm; the rest is fetched)
	@bash tests/e2e/setup.sh

demo: setup ## run the main job on a fresh default: a template becomes a job that runs here
	@AJ=$(abspath $(BIN))/aj bash tests/demo.sh

# The tests with real editors and engines have the machine to themselves: they watch clocks of others.
test: setup lint types ## everything that must hold: lint, format, types, import rules, all tests
	$(BIN)/python -m pytest -n auto --ignore tests/e2e $(ARGS)
	$(BIN)/python -m pytest tests/e2e $(ARGS)

lint: setup ## ruff (rules and format) and the import rules
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/lint-imports --no-logo

types: setup ## mypy, strict
	$(BIN)/mypy

fmt: setup ## format the code and fix what can be fixed
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format --quiet

bench: $(VENV)/.bench ## print the figures: speed as ratios, typing states, memory
	$(BIN)/python -m tests.bench $(ARGS)

soak: setup ## the long runs: fuzzing, restarts, many jobs (AJ_SOAK=1)
	AJ_SOAK=1 $(BIN)/python -m pytest -n auto --ignore tests/e2e $(ARGS)
	AJ_SOAK=1 $(BIN)/python -m pytest tests/e2e $(ARGS)

vsix: setup vscode-extension/node_modules/.ready ## package the extension for VS Code, with the server that it installs, into dist/
	rm -rf vscode-extension/wheel && mkdir -p dist
	$(BIN)/python -m hatchling build --target wheel --directory $(CURDIR)/vscode-extension/wheel >/dev/null
	cd vscode-extension && node package.mjs ../dist/aj.vsix

lock: $(UV) ## write the lock files anew from pyproject.toml (ARGS=--upgrade for the newest releases)
	$(COMPILE) --group dev --output-file requirements/dev.lock
	$(COMPILE) --group dev --group bench --constraint requirements/dev.lock --output-file requirements/bench.lock

clean: ## remove what was made here: environments, caches, builds
	rm -rf .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
	find server tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.locked: requirements/dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"{sys.executable} is Python {sys.version.split()[0]}; aj needs 3.11 or newer: make setup PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PINNED) --only-binary :all: -r requirements/dev.lock
	@touch $@

$(VENV)/.ready: $(VENV)/.locked pyproject.toml
	$(PIP) install -qq --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.bench: $(VENV)/.ready requirements/bench.lock
	$(PINNED) --no-build-isolation -r requirements/bench.lock
	@touch $@

vscode-extension/node_modules/.ready: vscode-extension/package-lock.json
	cd vscode-extension && npm ci --ignore-scripts --silent
	@touch $@

$(UV):
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install -qq uv
