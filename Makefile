# Everything a contributor needs. The only requirements are make and Python 3.11 or later with venv.
.DEFAULT_GOAL := help
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do command -v $$p 2>/dev/null && break; done)
BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
VENV := tests/live/venv.sh
# The framework environments of the live tests lie outside the checkout (NOSTART_LIVE_CACHE names another place).
# Many tests wait for a server: half as many workers again as there are cores.
WORKERS ?= $(shell echo $$(( ($$(nproc 2>/dev/null || echo 2) * 3 + 1) / 2 )))
VLLM ?= 0.29.0 0.20.1

PLAYS ?= .eval

.PHONY: help demo test frameworks frameworks-quick live live-quick bench eval lint fmt schema clean

help: ## say what there is
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "make %-11s %s\n", $$1, $$2}' Makefile

$(READY): pyproject.toml
	@test -n "$(PYTHON)" && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "nostart needs Python 3.11 or later: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "setting up .venv (once)" >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --root-user-action=ignore --editable . --group dev
	@touch $@

.PHONY: compiled
compiled: $(READY)
	@# the tests start nostart hundreds of times: where Python may not write its bytecode, each start would compile it all again
	@$(BIN)/python -m compileall -q agent evals probes transcripts

demo: $(READY) ## a real LiteLLM proxy that does not start is diagnosed and brought up
	@$(BIN)/python docs/demo/run.py

test: $(READY) compiled ## the tests: offline, quick
	@$(BIN)/python -m pytest -n $(WORKERS) -m "not live and not quick"

frameworks-quick: ## build what the quick live tests run: vLLM and the LiteLLM proxy
	@for release in $(VLLM); do $(VENV) vllm $$release >/dev/null || exit 1; done; $(VENV) litellm >/dev/null

frameworks: frameworks-quick ## build what the live tests run, once, outside the checkout (minutes, gigabytes)
	@$(VENV) sglang >/dev/null || [ $$? = 3 ]

live: $(READY) compiled frameworks ## the tests against real frameworks
	@$(BIN)/python -m pytest -m live

live-quick: $(READY) compiled frameworks-quick ## the part of them that CI runs
	@$(BIN)/python -m pytest -m quick

bench: $(READY) compiled ## the numbers: seconds to a verdict, CPU of --help, log reading
	@$(BIN)/python -m evals.bench

eval: $(READY) ## play the recorded worlds under all strategies; fails where something became worse than what was accepted
	@$(BIN)/nostart eval run --output $(PLAYS)
	@$(BIN)/nostart eval score $(PLAYS)
	@$(BIN)/nostart eval compare $(PLAYS)

lint: $(READY) ## ruff, mypy, import-linter
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache >/dev/null || $(BIN)/lint-imports --no-cache

fmt: $(READY) ## format the sources and mend what ruff can
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet .

schema: $(READY) ## write the JSON Schemas in docs again
	@$(BIN)/python -c 'import json; from pathlib import Path; from agent.document import json_schema; Path("docs/nostart.schema.json").write_text(json.dumps(json_schema(), indent=2) + "\n")'
	@$(BIN)/python -c 'import json; from pathlib import Path; from agent.fleet import json_schema; Path("docs/fleet.schema.json").write_text(json.dumps(json_schema(), indent=2) + "\n")'
	@$(BIN)/python -c 'import json; from pathlib import Path; from transcripts.codec import json_schema; Path("docs/transcript.schema.json").write_text(json.dumps(json_schema(), indent=2) + "\n")'
	@$(BIN)/python -c 'import json, msgspec; from pathlib import Path; from transcripts.postmortem.story import Postmortem; Path("docs/postmortem.schema.json").write_text(json.dumps(msgspec.json.schema(Postmortem), indent=2) + "\n")'

clean: ## remove what the targets above made here
	rm -rf .venv .eval .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
