# Works on a bare machine with Python >= 3.11, make and git; everything is installed into .venv.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test parity lint format types clean

# The first interpreter that really starts (a shim on the PATH may not), is new enough and can make environments.
PROBE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for candidate in python3.13 python3.12 python3.11 python3; do \
	if "$$candidate" -c '$(PROBE)' >/dev/null 2>&1; then echo "$$candidate"; break; fi; done)
UV := $(shell command -v uv 2>/dev/null)

VENV := .venv
BIN := $(VENV)/bin
PARITY := .parity
DEMO_OUT := out/exposure

help: ## List the targets (the default)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.stamp-demo ## Run the exposure study on small defaults and draw its figure
	JAX_COMPILATION_CACHE_DIR=.jax_cache $(BIN)/python -m jaxworld exposure --out $(DEMO_OUT)

# Two workers, a file each at a time: tracing is one thread's work, and files share what they compile.
test: lint types ## Check style and types, then run every test
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

# The original engine lives in an environment of its own, without JAX; see docs/grid_parity.md.
parity: $(VENV)/.stamp-test $(PARITY)/.stamp ## Hold the grid worlds to the original engine
	JAXWORLD_PARITY_PYTHON=$(PARITY)/bin/python $(BIN)/python -m pytest --verbose tests/parity

lint: $(VENV)/.stamp-test ## Check style only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.stamp-test ## Check types only
	$(BIN)/mypy

format: $(VENV)/.stamp-test ## Rewrite the sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove the environment, caches and results
	rm -rf $(VENV) $(PARITY) .jax_cache out build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
ifneq ($(UV),)
	$(UV) venv --python "$(or $(PYTHON),>=3.11)" $(VENV)
else
	@if [ -z "$(PYTHON)" ]; then \
		echo "No Python >= 3.11 with venv found: install one, or name it with  make PYTHON=/path/to/python" >&2; \
		exit 1; fi
	$(PYTHON) -m venv $(VENV)
endif

# Installs the project in place with some of its extras, into the one environment.
ifneq ($(UV),)
INSTALL = $(UV) pip install --quiet --python $(BIN)/python
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

$(VENV)/.stamp-demo: pyproject.toml | $(BIN)/python
	$(INSTALL) --editable '.[plot,study,graph]'
	@touch $@

$(VENV)/.stamp-test: pyproject.toml | $(BIN)/python
	$(INSTALL) --editable '.[test]'
	@touch $@ $(VENV)/.stamp-demo

# Its package wants to download the weights of bots while it is built; an empty archive stands in for them.
$(PARITY)/.stamp: tests/parity/requirements.txt | $(BIN)/python
	rm -rf $(PARITY)
ifneq ($(UV),)
	$(UV) venv --seed --python $(BIN)/python $(PARITY)
else
	$(BIN)/python -m venv $(PARITY)
endif
	$(PARITY)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	mkdir -p $(PARITY)/build/assets && touch $(PARITY)/build/assets/none
	tar -czf $(PARITY)/build/meltingpot-assets-2.3.0.tar.gz -C $(PARITY)/build assets
	TMPDIR=$(CURDIR)/$(PARITY)/build $(PARITY)/bin/python -m pip install --quiet --disable-pip-version-check \
		--no-deps dm-meltingpot==2.4.1
	@touch $@
