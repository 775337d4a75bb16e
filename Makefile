# Every command works in a fresh clone: it makes .venv first when that is missing or out of date.
# Options for the command behind a target go into ARGS, for example: make demo ARGS=--exit

PYTHON ?= python3
BIN := .venv/bin
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help install demo up doctor test fuzz lint types docs lock client-types clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: ## Make .venv from requirements.lock
	@$(PYTHON) bootstrap.py

demo: install ## Start everything and make a real call to a demo agent
	@$(BIN)/switchboard demo $(ARGS)

up: install ## Start everything on this machine; Ctrl-C stops it
	@$(BIN)/switchboard up $(ARGS)

doctor: install ## Check this machine
	@$(BIN)/switchboard doctor $(ARGS)

test: install ## Run the tests (some: make test ARGS="tests/contracts -k money")
	@$(BIN)/python -m pytest $(ARGS)

fuzz: install ## Put generated requests to every route for 15 minutes (ARGS="--minutes 2")
	@$(BIN)/python -m tests.fuzz $(ARGS)

docs: install ## Write docs/api-coverage.md anew
	@SWITCHBOARD_UPDATE_DOCS=1 $(BIN)/python -m pytest -q tests/control_plane/api_coverage

lint: install ## Check style, format and the import rules
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports

types: install ## Check types
	@$(BIN)/mypy

client-types: install ## Write the client's types and errors anew, after the API has changed
	@$(BIN)/python clients/python/generate.py $(ARGS)

lock: install ## Resolve pyproject.toml into requirements.lock again
	@echo "switchboard-client @ file:clients/python" | \
	  PATH="$(CURDIR)/.uv-bootstrap/bin:$$PATH" uv pip compile pyproject.toml - --universal \
	  --python-version 3.11 --all-extras --generate-hashes --no-emit-index-url --no-header \
	  --no-emit-package switchboard-client --quiet --output-file requirements.lock $(ARGS)

clean: ## Remove what was installed and built; keeps the data in .switchboard
	rm -rf .venv .uv-bootstrap dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
