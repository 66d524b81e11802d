# Commands for users, developers and CI. `make` alone lists them.
#
# Each target installs its requirements without questions. Stamp files in .venv and node_modules are compared with the lock files,
# so a second start installs nothing.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules --no-print-directory

# Any Python of 3.11 to 3.14; .venv is made from it.
PYTHON ?= python3
# Additional index with the CPU build of torch. On Linux, PyPI has the CUDA build under the same version, but pip considers
# "2.13.0+cpu" newer. If empty, pip uses only its configured indexes.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
# The CPU build needs only the packages in the lock. For a CUDA build, which requires further packages, set both to nothing:
# `make run TORCH_INDEX= TORCH_FLAGS=`.
TORCH_FLAGS ?= --no-deps
# Docker's client, and options of `make docker-check` for `docker build`, for example
# `make docker-check DOCKER_BUILD="--build-arg PIP_INDEX_URL=https://..."`.
DOCKER ?= docker
DOCKER_BUILD ?=
# Passed on to `stepgrad serve`, for example `make run ARGS="--port 9000"`.
ARGS ?=
# The cell of `make matrix`, and the tests to run in it (default: all).
CELL ?=
PARTS ?=

# `make test FAST=1` runs only tests that take less than a minute in total.
FAST ?=
FAST_TESTS := tests/trace tests/test_contracts.py tests/tracer/test_source.py tests/tracer/test_results.py \
	tests/tracer/test_layouts.py tests/explain/test_words.py tests/browser/test_about.py

VENV := .venv
BIN := $(VENV)/bin
BIOME := tests/js/node_modules/.bin/biome
PIP := $(BIN)/python -m pip --no-input --disable-pip-version-check
# Another version needs a new or cleaned checkout: `make run TORCH=torch==2.15.0`.
TORCH = $(shell sed -n '/^torch==/p' requirements/torch.txt)
RUN_PACKAGES := bubblewrap
LONG_PACKAGES := firefox-esr
TEST_PACKAGES := chromium-headless-shell fonts-noto-cjk graphviz haproxy nodejs npm poppler-utils postgresql prometheus

export PYTHON

heading = printf '\n== %s\n' "$(1)"

.PHONY: help
help: ## List the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name sentence; do \
		printf '  make %-13s %s\n' "$$name" "$$sentence"; done

.PHONY: run
run: setup ## Serve the page on this machine
	@trap : INT; $(BIN)/python -m app serve $(ARGS) || (( $$? == 128 + 2 )) # Ctrl-C is not an error

# mypy uses one processor and takes as long as all JavaScript checks, so both run at the same time.
.PHONY: test
test: setup-test ## Run all checks, and all tests except the long ones
	@$(call heading,ruff: lint errors and format)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy > $(VENV)/mypy.log 2>&1 & mypy=$$!; trap "kill $$mypy 2>/dev/null || true" EXIT; \
		$(call heading,biome: lint errors and format of the JavaScript); \
		$(BIOME) check --error-on-warnings static/js tests/js; \
		$(call heading,tsc: types of the JavaScript); \
		(cd tests/js && node_modules/.bin/tsc --project tsconfig.json); \
		$(call heading,node --test: the modules of the page); \
		(cd tests/js && node --test --test-reporter=spec); \
		$(call heading,mypy: types of the Python); \
		ended=0; wait $$mypy || ended=$$?; cat $(VENV)/mypy.log; exit $$ended
	@$(call heading,pytest: everything else)
	@$(BIN)/python -m pytest --numprocesses auto --max-worker-restart 0 $(if $(FAST),$(wildcard $(FAST_TESTS)))

.PHONY: test-long
test-long: setup-test ## Run complete sweeps and slow tests
	@.ci/system-packages $(LONG_PACKAGES)
	@$(BIN)/python -m pytest -m 'sweep and not long' --numprocesses auto --max-worker-restart 0
	@$(BIN)/python -m pytest -m long -o faulthandler_timeout=0

.PHONY: test-speeds
test-speeds: setup-test ## Run every test at three speeds: normal, with slow pages, on a busy machine
	@$(BIN)/python -m tests.speeds

# Public programs at pinned commits, fetched from GitHub into build/external once: tests/external/README.md.
.PHONY: test-external
test-external: setup ## Run public programs plain, in the sandbox and under record(), and compare the results
	@$(BIN)/python -m tests.external $(ARGS)

.PHONY: docker-check
docker-check: setup-test ## Build the image; use, attack, kill and upgrade it with the local Docker daemon
	@$(DOCKER) version >/dev/null 2>&1 || { echo 'No Docker daemon answers `$(DOCKER) version`, so the image was not checked:' \
		'start one, or set DOCKER_HOST.' >&2; exit 1; }
	@DOCKER='$(DOCKER)' DOCKER_BUILD='$(DOCKER_BUILD)' $(BIN)/python -m pytest -m docker -o faulthandler_timeout=300 -v tests/docker

.PHONY: matrix
matrix: ## Test another system, Python and torch: CELL=trixie-2.13, PARTS=tracer,explain (root; 4 GB of disk)
	@TORCH_INDEX='$(TORCH_INDEX)' TORCH_FLAGS='$(TORCH_FLAGS)' $(PYTHON) -m tests.matrix '$(CELL)' '$(PARTS)'

# Installs a CUDA build of torch in build/gpu (5 GB) if the machine has a device.
.PHONY: test-gpu
test-gpu: ## Run the tests that need a CUDA device, in at most ten minutes, and report each part
	@if compgen -G '/dev/nvidia[0-9]*' >/dev/null || [[ -e /dev/dxg ]]; then \
		$(MAKE) VENV=build/gpu TORCH_INDEX= TORCH_FLAGS= setup; \
		build/gpu/bin/python -m tests.gpu $(ARGS); \
	else \
		echo 'This machine has neither /dev/nvidia0 nor /dev/dxg, so no CUDA build of torch is installed.'; \
		$(PYTHON) -m tests.gpu $(ARGS); fi

.PHONY: poster
poster: setup-test ## Draw the poster of the start page again
	@$(BIN)/python -m tests.browser.poster

.PHONY: goldens
goldens: setup-test ## Accept the current drawings as goldens, and show before and after
	@$(BIN)/python -m tests.browser.golden

.PHONY: bench
bench: setup-test compiled $(VENV)/.bench.stamp ## Measure the budgets of the design
	@$(BIN)/python -m tests.benchmarks

.PHONY: types
types: setup ## Write static/js/run/trace.d.ts from the Python records
	@$(BIN)/python -m app.web.operations.types > $(VENV)/trace.d.ts
	@mv $(VENV)/trace.d.ts static/js/run/trace.d.ts

.PHONY: stories
stories: setup-test ## Write docs/stories.md: the texts for twenty programs, in both languages
	@$(BIN)/python -m tests.stories

.PHONY: settings
settings: setup-test ## Write the table of settings in docs/operating.md from app/compose/settings.py
	@$(BIN)/python -m tests.settings_table

.PHONY: torch-names
torch-names: setup-test ## Write the names that the editor completes, from torch
	@$(BIN)/python -m tests.torch_names

.PHONY: pictures
pictures: setup-test ## Take the pictures of README.md and docs from the real page, and from JupyterLab
	@[[ -x build/jupyter/bin/jupyter ]] || { $(PYTHON) -m venv build/jupyter && build/jupyter/bin/python -m pip install --quiet jupyterlab==4.6.6; }
	@$(BIN)/python -m tests.pictures

.PHONY: format
format: setup-test ## Format Python and JavaScript and fix simple lint errors
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .
	@$(BIOME) check --fix static/js tests/js

.PHONY: vendor
vendor: tests/js/node_modules/.stamp ## Bundle the page's libraries and fonts into static/vendor
	@node tests/js/vendor.mjs

.PHONY: bundle
bundle: tests/js/node_modules/.stamp ## Bundle static/js and static/css into static/bundle
	@node tests/js/bundle.mjs

# uv has a separate environment, because only this target needs it. The locks exclude torch, because every index has builds with
# other hashes, and include its requirements. The versions of the present locks stay; `make lock ARGS=--upgrade` takes the newest.
COMPILE := build/lock/bin/uv pip compile --quiet --universal --generate-hashes --no-sources --no-emit-package torch \
	--custom-compile-command 'make lock' $(ARGS)

.PHONY: lock
lock: ## Resolve the dependencies of pyproject.toml again
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet uv==0.13.9
	@$(COMPILE) pyproject.toml --extra postgresql --group build --output-file requirements/run.txt
	@$(COMPILE) --group dev --constraint requirements/run.txt --output-file requirements/test.txt
	@$(COMPILE) --group bench --constraint requirements/run.txt --constraint requirements/test.txt --output-file requirements/bench.txt

.PHONY: clean
clean: ## Remove installed and built files except data/
	@rm -rf $(VENV) build dist tests/js/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis .grimp_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: setup
setup: $(BIN)/stepgrad compiled ## Install the requirements of `make run`
	@.ci/system-packages $(RUN_PACKAGES)

.PHONY: setup-test
setup-test: $(VENV)/.test.stamp tests/js/node_modules/.stamp ## Install the requirements of `make test`
	@.ci/system-packages $(RUN_PACKAGES) $(TEST_PACKAGES)

# uv creates environments without pip; such an environment is replaced.
$(BIN)/pip:
	@[[ '$(PYTHON)' != python3 ]] || .ci/system-packages python3
	@refused=$$($(PYTHON) -c 'from app.commands.supported import refusal_of_python as refusal; print(refusal() or "")') || refused='No Python answers.'; \
		[[ -z $$refused ]] || { echo "$$refused Name it with PYTHON=, for example PYTHON=python3.13." >&2; exit 1; }
	@.ci/system-packages python3-venv $(RUN_PACKAGES)
	@$(PYTHON) -m venv --clear $(VENV)

# A server cannot write here, so each of its processes would compile its imports again: an explainer starts in 0.35 s of
# processor time with compiled files, else in 0.73 s. Failures to write are ignored.
.PHONY: compiled
compiled: $(VENV)/.run.stamp
	@$(BIN)/python -m compileall -qq app || true

# The checkout in editable mode, with the command `stepgrad`. hatchling, which builds it, is in the lock.
$(BIN)/stepgrad: pyproject.toml $(VENV)/.run.stamp
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.run.stamp: requirements/run.txt requirements/torch.txt $(BIN)/pip
	@echo 'Installing the packages of requirements/run.txt and $(TORCH) ...'
	@$(PIP) install --quiet --require-hashes --requirement requirements/run.txt
	@$(PIP) install --quiet $(TORCH_FLAGS) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) $(TORCH)
	@touch $@

$(VENV)/.test.stamp: requirements/test.txt $(BIN)/stepgrad
	@echo 'Installing the packages of requirements/test.txt ...'
	@$(PIP) install --quiet --require-hashes --requirement requirements/test.txt
	@touch $@

# The lock has TorchLens' requirements; it accepts any torch, so the installed one stays.
$(VENV)/.bench.stamp: requirements/bench.txt $(VENV)/.test.stamp
	@echo 'Installing the packages of requirements/bench.txt ...'
	@$(PIP) install --quiet --require-hashes --no-deps --requirement requirements/bench.txt
	@touch $@

tests/js/node_modules/.stamp: tests/js/package-lock.json tests/js/package.json
	@.ci/system-packages nodejs npm
	@echo 'Installing the packages that tests/js/package-lock.json names ...'
	@cd tests/js && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
