# Every command works in a fresh clone: it makes .venv first when that is missing or out of date.
# ARGS holds options for the command behind a target, for example: make demo ARGS=--exit

PYTHON ?= python3
BIN := .venv/bin
ARGS ?=
BASE ?= main

.DEFAULT_GOAL := help
.PHONY: help install demo up doctor test check coverage fuzz hostile storm webhook-storm usage soak faults upgrade-check lint audit types docs lock client-types clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: ## Make .venv from requirements.lock
	@$(PYTHON) bootstrap.py

demo: install ## Start everything and make a real call to a demo agent
	@$(BIN)/switchboard demo $(ARGS)

up: install ## Start everything on this machine; Ctrl-C stops it
	@$(BIN)/switchboard up $(ARGS)

doctor: install ## Check this machine
	@$(BIN)/switchboard doctor $(ARGS)

test: install ## Run every test, in stages (only some: make test ARGS="tests/contracts -k money")
	@$(BIN)/python -m $(if $(ARGS),pytest $(ARGS),tests)

check: install lint types ## Check style and types, run the tests of what changed since BASE (main)
	@$(BIN)/python -m tests.changed --base $(BASE)

coverage: install ## Report how much of our code the tests run, without the end-to-end tests
	@rm -rf .coverage-data && mkdir .coverage-data
	-@$(BIN)/coverage run -m tests 1
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report $(ARGS)

fuzz: install ## Send hostile input: requests, packets, SDP, documents, tool calls, carriers (ARGS="--only packets")
	@$(BIN)/python -m tests.fuzz $(ARGS)

hostile: install ## Attack a running system beside another tenant's calls (ARGS="--seconds 60")
	@$(BIN)/python -m tests.hostile $(ARGS)

storm: install ## Play 10,000 simulated calls while processes die (ARGS="--calls 500")
	@$(BIN)/python -m tests.chaos $(ARGS)

webhook-storm: install ## Send 10,000 events to 20 endpoints while processes die and PostgreSQL stops (ARGS="--facts 500")
	@$(BIN)/python -m tests.webhook_storm $(ARGS)

usage: install ## Compare what 200 calls report with what vendors would charge for (ARGS="--calls 20")
	@$(BIN)/python -m tests.usage $(ARGS)

soak: install ## Let 12 callers talk for half an hour while vendors misbehave at random (ARGS="--minutes 2 --calls 4")
	@$(BIN)/python -m tests.soak $(ARGS)

faults: install ## Measure how long callers wait when providers fail, and write docs/faults.md
	@$(BIN)/python -m tests.faults

upgrade-check: install ## Run the previous release and this one side by side (ARGS="--calls 10 --live 4")
	@$(BIN)/python -m tests.upgrade $(ARGS)

docs: install ## Update docs/api-coverage.md, the tables of docs/metrics.md and docs/agent-fields.md, THIRD_PARTY.md and the transcripts of examples/
	@SWITCHBOARD_UPDATE_DOCS=1 $(BIN)/python -m pytest -q tests/control_plane/api_coverage tests/telemetry/test_metrics.py tests/contracts/test_agent_fields.py tests/deploy/test_third_party.py tests/examples

lint: install ## Check style, format and the import rules
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports

audit: install ## Ask the package registry for known vulnerabilities of the locked packages
	@$(BIN)/python -m tests.audit

types: install ## Check types
	@$(BIN)/mypy

client-types: install ## Update the Python client's types and errors after an API change
	@$(BIN)/python clients/python/generate.py $(ARGS)

COMPILE = PATH="$(CURDIR)/.uv-bootstrap/bin:$$PATH" uv pip compile --universal --python-version 3.11 \
  --generate-hashes --no-emit-index-url --no-header --no-emit-package switchboard-client --quiet

lock: install ## Resolve pyproject.toml into requirements.lock and the image's locks again
	@echo "switchboard-client @ file:clients/python" | \
	  $(COMPILE) pyproject.toml - --all-extras --output-file requirements.lock $(ARGS)
	@echo "switchboard-client @ file:clients/python" | \
	  $(COMPILE) pyproject.toml - --extra offline --constraint requirements.lock \
	  --output-file deploy/image.lock
	@printf 'uv\nhatchling\n' | \
	  $(COMPILE) - --constraint requirements.lock --output-file deploy/build.lock $(ARGS)

clean: ## Remove what was installed and built; keeps the data in .switchboard
	rm -rf .venv .uv-bootstrap dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf .import_linter_cache .coverage-data
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
