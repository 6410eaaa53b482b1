# `make demo` shows the program, `make test` is what CI runs; both make all they need in .venv.

PYTHON ?= python3
JOBS ?= 2
ARGS ?=
# `make fuzz N=500 KATA=mha SEED=1`; without them every kata, and a seed of its own.
N ?= 200
KATA ?=
SEED ?=
# `make demo CPU=1` takes torch from PyTorch's own index of wheels without CUDA.
CPU ?=
VENV := .venv
BIN := $(VENV)/bin
CPU_INDEX := https://download.pytorch.org/whl/cpu
PIP := $(BIN)/python -m pip --disable-pip-version-check
WITHOUT_CUDA := $(if $(CPU),--extra-index-url $(CPU_INDEX))
INSTALLED := $(VENV)/.installed
TESTABLE := $(VENV)/.testable
TYPED := build/typing/attn_kata
TYPES := build/types.txt

# The type checker has one thread and the tests a process a core: beside them it costs no wait.
# What it finds is told at the end, and fails the whole.
define beside_types
$(BIN)/basedpyright > $(TYPES) & types=$$!; \
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(1) $(ARGS); tests=$$?; \
	wait $$types; types=$$?; tail -n 20 $(TYPES); exit $$((tests > types ? tests : types))
endef

# The tests start hundreds of processes, each of which would compile all of the program anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-cuda lint style format screens figures fuzz bench kernels clean

help:  ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

demo: $(INSTALLED)  ## install into .venv and show a check
	@$(BIN)/attn-kata demo

test: style $(TYPED)  ## what CI runs: format, lint, types, the tests, and a slice of what is listed
	@$(call beside_types,--slice=commit)

test-all: style $(TYPED)  ## all that is listed, and the slow tests too
	@$(call beside_types,--slow)

test-cuda: $(TESTABLE)  ## what needs a GPU: device programs, all katas' model answers and corpora
	$(BIN)/python -m pytest -m cuda $(ARGS)

lint: style $(TYPED)  ## format, lint and types, changing nothing
	$(BIN)/basedpyright

style: $(TESTABLE)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(TESTABLE)  ## format, and mend what can be mended
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

screens: $(INSTALLED)  ## run the commands that README.md and docs/ show, and fill in what they print
	$(BIN)/python -m attn_kata.dev.screens README.md docs/diagnosis.md docs/debug.md
	$(BIN)/python -m attn_kata.dev.interviews docs/interview.md
	$(BIN)/python -m attn_kata.dev.devices docs/cuda.md
	$(BIN)/python -m attn_kata.dev.powers docs/judge.md

figures: $(INSTALLED)  ## work out the figures of the pages that explain mistakes
	$(BIN)/python -m attn_kata.dev.figures

fuzz: $(INSTALLED)  ## look for wrong verdicts in N files written otherwise
	$(BIN)/python -m attn_kata.dev.fuzz $(N) $(addprefix --kata ,$(KATA)) $(addprefix --seed ,$(SEED)) $(ARGS)

bench: $(INSTALLED)  ## measure what is promised about speed, in one table
	$(BIN)/python bench/speed.py $(ARGS)

kernels: $(INSTALLED)  ## time the model answers beside torch's fused attention
	$(BIN)/python bench/kernels.py $(ARGS)

clean:  ## remove what was made here, .venv included
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "error: attn-kata needs Python 3.10 or newer; $(PYTHON) is older, or is not there" >&2; \
	  echo "  next:  make demo PYTHON=/path/to/python3.10-or-newer" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "error: $(PYTHON) cannot make a virtual environment: it lacks ensurepip" >&2; \
	  echo "  Debian and Ubuntu keep it in a package of its own" >&2; \
	  echo "  next:  sudo apt-get install python3-venv" >&2; \
	  echo "     or  make demo PYTHON=/path/to/another/python3" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing attn-kata and PyTorch into $(VENV); the download takes minutes"
	$(PIP) install $(WITHOUT_CUDA) -c constraints.txt -e .
	@touch $@

$(TESTABLE): $(INSTALLED)
	$(PIP) install $(WITHOUT_CUDA) -c constraints.txt -e '.[test]'
	@touch $@

# The type checker finds `import attn_kata` here; the editable install is a hook it does not run.
$(TYPED):
	@mkdir -p $(@D)
	@ln -s ../.. $@
