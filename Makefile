# make demo: from nothing to a cited answer. make test: everything that is checked. Both are quick the second time.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
PIP := $(RUN)/python -m pip --disable-pip-version-check

# What is installed depends on the content of these two, not on their dates: a fresh checkout of the same pins is no change.
PINS := $(shell cat pyproject.toml constraints.txt | cksum | tr ' ' '-')
ALL := $(VENV)/installed-all-$(PINS)
TEST := $(VENV)/installed-test-$(PINS)

.PHONY: help demo test lint lab update torture
.DEFAULT_GOAL := help

help: ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

demo: $(ALL) ## analyse the bundled clip with small real models and ask it questions
	@$(RUN)/vidbench demo

lab: $(ALL) ## open the guided tour in JupyterLab
	@$(RUN)/jupyter lab notebooks/01_tour.ipynb

test: lint ## check everything: style, types, imports, then all tests
	$(RUN)/pytest -m "not torture"

lint: $(TEST) ## check style, types and the direction of imports
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports

torture: $(TEST) ## repeat the kill sweeps; takes long
	$(RUN)/pytest -m torture

update: $(TEST) ## renew constraints.txt from what the package index offers today
	$(PIP) install --quiet --dry-run --ignore-installed --report $(VENV)/resolved.json ".[all,test]"
	$(RUN)/python -c 'import json, sys; \
	  found = [one["metadata"] for one in json.load(open(sys.argv[1]))["install"]]; \
	  pins = sorted("{name}=={version}".format(**one).lower() for one in found if one["name"] != "vidbench"); \
	  print("# What `make` installs; renewed by `make update`.", *pins, sep="\n")' $(VENV)/resolved.json > $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt constraints.txt

$(ALL): | $(RUN)/python
	@$(MAKE) --no-print-directory EXTRAS=all install
	@rm -f $(VENV)/installed-*
	@touch $@

$(TEST): | $(RUN)/python
	@$(MAKE) --no-print-directory EXTRAS=all,test install
	@rm -f $(VENV)/installed-*
	@touch $@ $(ALL)

.PHONY: install
install:
	@# Without a compiled wheel in pip's cache, llama.cpp is built here, and that needs a compiler.
	@if ! $(PIP) show --quiet llama-cpp-python 2>/dev/null && ! $(PIP) cache list llama_cpp_python 2>/dev/null | grep -q llama; then \
	  command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { \
	    echo "No C++ compiler. Run: sudo apt install build-essential   (macOS: xcode-select --install)" >&2; exit 1; }; \
	  echo "The first time, llama.cpp is compiled for this processor: about 5 minutes. pip keeps the result."; \
	fi
	$(PIP) install --progress-bar off -e ".[$(EXTRAS)]" -c constraints.txt

$(RUN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no $(PYTHON). Install Python 3.11 or newer, or name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is older than 3.11. Name a newer one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make environments. Run: sudo apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
