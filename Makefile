# Every target sets up .venv by itself. Needs Python 3.11 or newer, make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= auto
PYTEST_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test setup fmt lint types bench docs build check clean fuzz-sql hostile soak assurance vectors eval

help:  ## show the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(READY)  ## diagnose the bundled incident
	@$(BIN)/superbiz demo

test: $(READY)  ## run all tests; PYTEST_ARGS="tests/cli -x" for some, WORKERS=0 in one process
	@$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS)

setup: $(READY)  ## create .venv with the locked packages

$(READY): requirements/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the locked packages into $(VENV) (the first time this takes minutes)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps -r requirements/dev.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

fmt: $(READY)  ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix-only --quiet .

lint: $(READY)  ## format, style, import rules and dependencies, checked
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/deptry .

types: $(READY)  ## mypy, strict, over source and tests
	@$(BIN)/mypy

docs: $(READY)  ## write the generated documents anew
	@$(BIN)/python docs/generate.py

check: lint types  ## everything but the tests of behaviour
	@$(BIN)/python docs/generate.py --check
	@$(BIN)/python -m pytest tests/architecture

bench: $(READY)  ## run every benchmark
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

fuzz-sql: $(READY)  ## 200,000 mutants of the given SQL against the sandbox
	@$(BIN)/python -m tests.fuzz.fuzz_sql

hostile: $(READY)  ## play every given hostile script, also over HTTP and as a process
	@SUPERBIZ_TEST_HOSTILE=all $(BIN)/python -m pytest tests/hostile

eval: $(READY)  ## measure the retrieval on judged queries, against the committed figures
	@$(BIN)/python benchmarks/retrieval/evaluate.py

vectors: $(READY)  ## embed the example runbooks anew, after they or the chunking have changed
	@$(BIN)/python vectors/embed_runbooks.py

soak: $(READY)  ## a million random worlds against the invariants of every run; EXAMPLES= for another number
	@SUPERBIZ_TEST_EXAMPLES=$(or $(EXAMPLES),1000000) $(BIN)/python -m pytest tests/properties/test_wild_runs.py -n $(WORKERS)

assurance: $(READY)  ## measure what the release rules stood up to, and write docs/assurance.md (takes 20 minutes)
	@$(BIN)/python -m tests.assurance.report

build: $(READY)  ## build wheel and sdist into dist/
	@$(BIN)/python -m hatchling build

clean:  ## remove .venv and what tools left behind
	@rm -rf $(VENV) dist .mypy_cache .ruff_cache .hypothesis .coverage .import_linter_cache
