# All targets use .venv; `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find core src -type f ! -name '*.pyc')

.PHONY: help demo test native-test thread-test lint docs benchmark clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/pip $(SOURCES)
	$(BIN)/pip install -q .
	@touch $@

# Tests and tools share one build of the package.
$(VENV)/.test-installed: $(BIN)/pip $(SOURCES)
	$(BIN)/pip install -q '.[test]'
	@touch $(VENV)/.installed $@

$(VENV)/.lint-installed: $(VENV)/.test-installed
	$(BIN)/pip install -q 'ruff>=0.5' 'mypy>=1.10' pandas-stubs 'cmake>=3.20' 'cmeel-eigen>=3.4,<4'
	@touch $@

demo: $(VENV)/.installed  ## set up and run the demo: a multirate co-simulation with plot and coupling quality
	$(BIN)/counterpoint run examples/two_mass.toml --overwrite

test: $(VENV)/.test-installed  ## set up and run the tests
	$(BIN)/python -m pytest -q

native-test: $(VENV)/.lint-installed  ## run the native tests with the address and undefined-behaviour sanitizers
	$(BIN)/cmake -S . -B build/native -DCOUNTERPOINT_PYTHON=OFF -DCOUNTERPOINT_TESTS=ON \
	  -DCMAKE_BUILD_TYPE=Debug -DCOUNTERPOINT_SANITIZE=address,undefined -DPython_EXECUTABLE=$(abspath $(BIN)/python)
	$(BIN)/cmake --build build/native --parallel 2
	cd build/native && $(abspath $(BIN))/ctest --output-on-failure

thread-test: $(VENV)/.lint-installed  ## run the native tests with the thread sanitizer
	$(BIN)/cmake -S . -B build/thread -DCOUNTERPOINT_PYTHON=OFF -DCOUNTERPOINT_TESTS=ON \
	  -DCMAKE_BUILD_TYPE=Debug -DCOUNTERPOINT_SANITIZE=thread -DPython_EXECUTABLE=$(abspath $(BIN)/python)
	$(BIN)/cmake --build build/thread --parallel 2
	cd build/thread && $(abspath $(BIN))/ctest --output-on-failure

lint: $(VENV)/.lint-installed  ## run ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd $(VENV) && bin/mypy --config-file ../pyproject.toml --strict -p counterpoint

docs: $(VENV)/.test-installed  ## build the documentation as HTML; warnings are errors
	$(BIN)/pip install -q 'sphinx>=7.3' 'myst-parser>=3' 'furo>=2024.1'
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html

benchmark: $(VENV)/.test-installed  ## run the coupling benchmark: ratios against a hand-written loop
	$(BIN)/python -m benchmarks coupling

clean:  ## remove everything that was built
	rm -rf $(VENV) build *-run docs/_build benchmarks/_build
