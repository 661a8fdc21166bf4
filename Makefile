# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# A thin front for CMake: `make help` lists what it does. Flags are in CMakePresets.json, packages in
# scripts/bootstrap; every target sets up what it needs.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
DESTDIR ?=
CMAKE_FLAGS ?=

export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
export CTEST_PARALLEL_LEVEL = $(JOBS)

DEMO_SCENE = scenes/glass.json
DEMO_OUT = out/demo
PRESETS = test debug asan tsan double scalar clang

.PHONY: all test demo bench validate coverage nightly docs format install clean help bootstrap-build bootstrap-validate \
        bootstrap-test bootstrap-coverage bootstrap-docs bootstrap-ci $(PRESETS:%=check-%)
.NOTPARALLEL:

all: bootstrap-build ## build the libraries and the command build/souple
	@cmake --preset release $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset release

test: check-test ## build with warnings as errors and run all tests

# check-<preset>: build that preset and run its tests, for example check-asan. build-<preset>/results.xml says how each ended, with
# all its words: scripts/check-seeds reads it.
$(PRESETS:%=check-%): check-%: bootstrap-test
	@cmake --preset $* $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset $*
	@ctest --preset $* --output-junit results.xml --test-output-size-passed 1000000

check-clang: bootstrap-ci

demo: all ## run scenes/glass.json and write pictures, tables and meshes to out/demo
	@mkdir -p $(DEMO_OUT)
	build/souple run $(DEMO_SCENE) --out $(DEMO_OUT) --export png,csv,vtu
	@echo
	@echo "The demo's results are in $(DEMO_OUT):"
	@find $(DEMO_OUT) -type f | sort | awk -F. '{ if (!count[$$NF]++) first[$$NF] = $$0 } \
	    END { for (n in count) printf("  %4d .%-5s %s%s\n", count[n], n, first[n], (count[n] > 1 ? " ..." : "")) }' | \
	    sort -k 2

bench: all ## run the benchmarks
	build/souple bench

validate: bootstrap-validate all ## compare solid bodies with CalculiX and with theory, in float and in double
	@cmake --preset double -DSOUPLE_TESTS=OFF $(CMAKE_FLAGS) -B build-validate >/dev/null
	@cmake --build build-validate
	@mkdir -p out/validate
	build-validate/souple validate --json > out/validate/double.json
	build/souple validate --beside out/validate/double.json

coverage: bootstrap-coverage ## count which lines the tests run, out/coverage/index.html
	@cmake --preset coverage $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset coverage
	-@ctest --preset coverage
	@scripts/coverage build-coverage out/coverage

nightly: bootstrap-validate bootstrap-ci ## run what takes hours: experiments, limits, torture, fuzzing; out/nightly/index.html
	@scripts/nightly

docs: bootstrap-docs ## make the site of documents and headers, out/docs/html/index.html
	@scripts/make-docs

format: bootstrap-ci ## rewrite all sources as .clang-format says
	@scripts/check-format --fix

install: all ## install to PREFIX (/usr/local), under DESTDIR if given
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean: ## remove what these targets built
	rm -rf build $(PRESETS:%=build-%) build-validate build-coverage $(DEMO_OUT) out/validate out/coverage out/nightly out/docs

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  make check-<preset>: build and test one of $(PRESETS)"
	@echo "  JOBS=$(JOBS) PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) CMAKE_FLAGS=$(CMAKE_FLAGS)"

bootstrap-build bootstrap-validate bootstrap-test bootstrap-coverage bootstrap-docs bootstrap-ci: bootstrap-%:
	@scripts/bootstrap $*
