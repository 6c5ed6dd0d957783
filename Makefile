# Two commands for a fresh machine with Python 3.11 or newer: `make demo` and `make test`.

PYTHON ?= python3
# The build of PyTorch that uv takes: cpu, cu130, …, or the one for this machine's GPU or CPU.
TORCH_BACKEND ?= auto
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt
PIP := $(BIN)/python -m pip install --quiet --constraint constraints.txt

# Modules are compiled once, and not in each of the hundreds of programs that tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all times check site package format floors pictures clean

demo: $(VENV)/.lab  ## train a model in less than a minute and write a report of its insides
	$(BIN)/unrandom demo

test: $(VENV)/.all  ## the fast tests
	$(BIN)/python -m pytest -n auto

test-all: $(VENV)/.all  ## the whole suite; shapes and types of every call are checked
	$(BIN)/python -m pytest -n auto --nightly --types
	@test -n "$$(git status --porcelain)" || git rev-parse HEAD >.ci/last-full-run  # to be committed

times: $(VENV)/.all  ## run the fast tests, then those and the slow ones, and write their times into CONTRIBUTING.md
	$(BIN)/python -m pytest -n auto --junitxml build/fast.xml
	$(BIN)/python -m pytest -n auto --slow --junitxml build/slow.xml
	$(BIN)/python docs/tabulate_tests.py build/fast.xml build/slow.xml

check: $(VENV)/.all  ## format, lint, types, import contract, no circle of imports
	$(BIN)/ruff format --check src tests examples docs
	$(BIN)/ruff check src tests examples docs
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/circles.py
	$(BIN)/hadolint Dockerfile
	@! grep -rn "model_copy(" src tests examples || { echo "use Config.replace, which validates"; exit 1; }

site: $(VENV)/.all  ## the documentation: its notebooks are run and compared, its links checked
	$(BIN)/python docs/run_lessons.py --check
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	$(BIN)/python docs/check_links.py build/site

package: $(VENV)/.build  ## wheel and source distribution, checked
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/twine check --strict dist/*

format: $(VENV)/.all
	$(BIN)/ruff check --fix src tests examples docs
	$(BIN)/ruff format src tests examples docs

floors:  ## draw the floors of docs/architecture.md from the import contract
	$(PYTHON) docs/draw_floors.py

pictures: $(VENV)/.all  ## draw the pictures of README.md and docs/start.md from the saved tables
	$(BIN)/python docs/draw_pictures.py
	$(BIN)/python docs/draw_badges.py

# What is installed: each extra by its name. uv takes half a minute where pip takes minutes; without uv, pip does it.
$(VENV)/.lab $(VENV)/.all: $(VENV)/.torch
$(VENV)/.%: $(VENV)/.uv pyproject.toml constraints.txt
	$(UV) --editable '.[$*]' || $(PIP) --editable '.[$*]'
	@touch $@

# PyTorch comes first, so that nothing else decides which build it is: the one for this machine from PyTorch's own index
# or, where that is out of reach, the one that pip finds (docs/start.md).
$(VENV)/.torch: $(VENV)/.uv constraints.txt
	UV_HTTP_RETRIES=1 $(UV) --torch-backend=$(TORCH_BACKEND) torch 2>/dev/null || $(PIP) torch
	@touch $@

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) uv || echo "there is no uv for this machine: pip installs everything"
	@touch $@

clean:
	rm -rf $(VENV) build dist
