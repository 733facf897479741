# Every verb returns; `make` alone lists them.
STACK ?= dev
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Where compiled modules are forbidden, every run would compile the SDKs anew: half of an engine run's time.
export PYTHONDONTWRITEBYTECODE :=
SOURCES := gpuplatform components policies sandbox cli tests __main__.py

.DEFAULT_GOAL := help
.PHONY: help setup tools up preview down sandbox check quick test soak bench bench-placement golden docs lock clean

help: ## list the verbs
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.synced ## make .venv from requirements.txt (uv is fetched from PyPI where it is missing)

$(VENV)/.synced: requirements.txt pyproject.toml
	@PYTHON=$(PYTHON) sh ./setup.sh $(VENV)
	@touch $@

tools: setup ## build the tools that the tests need, once, about 25 minutes (TOOLS=cluster: the API server alone)
	@$(BIN)/python -m sandbox.tools $(TOOLS)

up: setup ## bring a stack up on this machine: real engine, stand-in providers (STACK=dev)
	@$(BIN)/gpuplatform engine up --stack $(STACK)

preview: setup ## preview a stack on this machine with the policy pack (STACK=dev)
	@$(BIN)/gpuplatform engine preview --stack $(STACK)

down: setup ## take the stack on this machine down (STACK=dev)
	@$(BIN)/gpuplatform engine down --stack $(STACK)

sandbox: setup ## bring a stack up on a real control plane with the real Karpenter (STACK=dev)
	@$(BIN)/gpuplatform sandbox up --stack $(STACK)

check: setup ## run the static checks: format, lint, types, floors
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/lint-imports
	@$(BIN)/pyright
	@$(BIN)/python -m tests.words

quick: setup ## the inner loop: unit and policy tests, with fewer examples of each property
	@GPU_PLATFORM_QUICK=1 $(BIN)/python -m pytest -q -n 2 -m "not slow" tests/unit tests/policies

test: setup ## run every test; the engine tier gets the Pulumi CLI as `make up` does
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

soak: setup ## run 1,000 jobs of ten teams through the queues, then kill a sandbox's processes twenty times (SEED=…), about 40 minutes
	@$(BIN)/python -m tests.soak.queues
	@$(BIN)/python -m tests.soak $(SEED)

bench: setup ## print run times and ratios: rules, lint, simulate (medians of five)
	@$(BIN)/python -m tests.bench

bench-placement: setup ## print the bill of a day of work, beside the lowest possible bill and that of other pools (WORKLOAD=FILE)
	@$(BIN)/python -m tests.bench.placement $(if $(WORKLOAD),--workload $(WORKLOAD))

golden: setup ## rewrite the golden documents; review the diff
	@$(BIN)/python -m pytest -q tests/unit/render tests/unit/changes/test_kept_configurations.py tests/unit/analysis/test_disruption.py --snapshot-update

docs: setup ## rewrite the generated pages
	@$(BIN)/gpuplatform docs

lock: setup ## compile requirements.txt from pyproject.toml
	@$(BIN)/uv --no-config pip compile pyproject.toml --extra dev --universal --generate-hashes --no-emit-index-url --no-header --upgrade -q -o requirements.txt

clean: ## remove .venv and .state; stacks on this machine are forgotten
	@rm -rf $(VENV) .state
