# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# The front door. CMake presets do the building; this file names what people ask for.
PRESET ?= dev
PYTHON := .venv/bin/python
PROGRAM := dist/bin/shadowvm
JAR := dist/jars/shadowvm-spark-3.5_2.12.jar
SF = 1
SPARKS := 3.5 4.1
MAVEN := mvn -q -B -ntp -f spark

.DEFAULT_GOAL := help
.PHONY: help setup build test test-spark test-long jars demo bench dist lint format asan tsan clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## Install what this machine lacks (apt packages, .venv)
	@dev/setup

build: setup ## Build everything; PRESET=release, asan or tsan for another kind
	@mkdir -p build
	@cmake --preset $(PRESET) >build/.configure-$(PRESET).log 2>&1 || { cat build/.configure-$(PRESET).log; exit 1; }
	@cmake --build --preset $(PRESET)

test: build test-spark ## Unit tests and end-to-end tests, some minutes
	ctest --preset $(PRESET)
	SHADOWVM_PROGRAM=build/$(PRESET)/bin/shadowvm $(PYTHON) -m pytest -q -m "not long" tests

test-spark: build ## Tests of the Spark plugin on every version; SPARKS=3.5 for one
	@for spark in $(SPARKS); do \
	  $(MAVEN) -Pspark-$$spark package -Dshadowvm.program=$(CURDIR)/build/$(PRESET)/bin/shadowvm || exit 1; \
	done

test-long: dist test ## Also the long tests, on the program as shipped
	SHADOWVM_PROGRAM=$(PROGRAM) SHADOWVM_SPARK_JAR=$(JAR) $(PYTHON) -m pytest -q -m "not faults" tests

demo: dist ## 13 queries in Spark, plain and with ShadowVM: rows compared, times side by side; SF=0.1 for less data
	@test -e data/ssb-sf$(SF)/lineorder.parquet || $(PROGRAM) gen ssb --sf $(SF) --out data/ssb-sf$(SF)
	@$(PYTHON) bench/demo.py --data data/ssb-sf$(SF)

bench: SF = 10
bench: dist ## Everything this project promises in numbers; SF=1 for Spark on less data; writes bench/results
	$(PYTHON) bench/run_all.py --program $(PROGRAM) --sf $(SF)

jars: setup ## The Spark plugin's jars, in spark/target
	@for spark in $(SPARKS); do $(MAVEN) -Pspark-$$spark package -Dmaven.test.skip -DskipTests || exit 1; done

dist: jars ## The program with the libraries it needs and the Spark plugin's jars, in dist/
	@$(MAKE) --no-print-directory build PRESET=release
	@dev/dist build/release dist

lint: setup ## Format, and clang-tidy on what differs from origin/main; ALL=1 or FILES="a.cc" for others
	@dev/lint $(FILES)

format: ## Format every C++ file
	git ls-files '*.h' '*.cc' | xargs clang-format-19 -i

asan: setup ## Unit tests under the address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory build PRESET=asan
	ctest --preset asan

tsan: setup ## Unit tests under the thread sanitizer
	@$(MAKE) --no-print-directory build PRESET=tsan
	ctest --preset tsan

clean: ## Remove build and dist; data and .venv stay
	rm -rf build dist spark/target
