# Two commands for a fresh machine with Python 3.11 or newer: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-all check site package format floors pictures clean

demo: $(STAMP)  ## train a model in about a minute and write a report of its insides
	$(BIN)/unrandom demo

test: $(STAMP)  ## the suite without its slow tests
	$(BIN)/python -m pytest -n auto

test-all: $(STAMP)  ## the whole suite; shapes and types of every call are checked
	$(BIN)/python -m pytest -n auto --all

check: $(STAMP)  ## format, lint, types, import contract, no circle of imports
	$(BIN)/ruff format --check src tests examples docs
	$(BIN)/ruff check src tests examples docs
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/circles.py
	$(BIN)/hadolint Dockerfile
	@! grep -rn "model_copy(" src tests examples || { echo "use Config.replace, which validates"; exit 1; }

site: $(STAMP)  ## the documentation: its notebooks are run and compared, its examples run, its links checked
	$(BIN)/python docs/run_lessons.py --check
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	$(BIN)/sphinx-build -q -W --keep-going -b doctest docs build/doctest
	$(BIN)/python docs/check_links.py build/site

package:  ## wheel and source distribution, checked; with tools of their own, and nothing else installed
	rm -rf dist build/packaging
	$(PYTHON) -m venv build/packaging
	build/packaging/bin/python -m pip install --quiet --constraint constraints.txt build hatchling twine
	build/packaging/bin/python -m build --no-isolation --outdir dist .
	build/packaging/bin/twine check --strict dist/*

format: $(STAMP)
	$(BIN)/ruff check --fix src tests examples docs
	$(BIN)/ruff format src tests examples docs

floors:  ## draw the floors of docs/architecture.md from the import contract
	$(PYTHON) docs/draw_floors.py

pictures: $(STAMP)  ## draw the pictures of README.md and docs/start.md from the saved tables
	$(BIN)/python docs/draw_pictures.py
	$(BIN)/python docs/draw_badges.py

# PyTorch first, at the pinned version, so that nothing else decides which build it is (see docs/install.md).
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[all]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist
