.DEFAULT_GOAL := help
.PHONY: help setup build demo test browser-test tsan lint format docs simulate \
	mutants fuzz soak flood neighbours compose-test bench clean

# How long one `make soak` loads the bus, and `make fuzz` each target.
MINUTES ?= 10
FORMATTED := Package.swift Sources Tests Examples $(wildcard Benchmarks/Package.swift Benchmarks/Sources)

help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 17

setup: ## install the packages of Debian and PyPI
	@scripts/setup

build: setup ## build library and bus-node (debug)
	swift build

# What bus-node is built from: folders change when a file is removed, setup-swift with the compiler.
BUILT_FROM = Package.swift Sources $(wildcard .build/setup-swift)

# No build when nothing changed since the last one of the demo began.
demo: setup ## four nodes, commands that fail, and their answers (PANES=yes: their processes in tmux)
	@[ "$(PANES)" != yes ] || scripts/setup panes
	@[ -x .build/debug/bus-node ] && [ -e .build/demo-built ] && \
		[ ! Package.resolved -nt .build/debug/bus-node ] && \
		[ -z "$$(find $(BUILT_FROM) -cnewer .build/demo-built -print -quit)" ] || \
		{ touch .build/demo-begun && swift build --product bus-node && \
			mv .build/demo-begun .build/demo-built; }
	Examples/demo/run.sh

test: ## build and run every test (ERRORBUS_BROWSER=no: none in a browser)
	@scripts/setup tests
	@scripts/test

browser-test: ## the operator's page in Chromium, against a real node
	@scripts/setup browser
	swift build --product bus-node
	scripts/python Tests/BrowserTests/run.py .build/debug/bus-node

tsan: setup ## unit and integration tests under ThreadSanitizer
	TSAN_OPTIONS="suppressions='$(CURDIR)/scripts/tsan.suppressions'" \
		scripts/descriptors swift test --sanitize=thread --scratch-path .build-tsan --filter '^(ErrorBusTests|IntegrationTests)\.'

lint: setup ## formatting; with CI=true also warnings as errors
	@scripts/lint

format: ## format every Swift file in place
	swift format --in-place --parallel --recursive $(FORMATTED)

docs: setup ## API documentation into .build/docs
	@scripts/docs

# Compiled in two thirds of the time, the simulator runs as many seeds a second.
QUICKLY := -Xswiftc -Osize -Xswiftc -num-threads -Xswiftc 2

simulate: setup ## the shipped nodes in simulated worlds: SEEDS=n, SEED=n for one again, VERBOSE=1
	swift build -c release --product node-simulator --scratch-path .build-release $(QUICKLY)
	.build-release/release/node-simulator $(if $(SEED),--seed $(SEED) $(if $(VERBOSE),--verbose),\
		$(if $(SEEDS),--seeds $(SEEDS)))

mutants: setup ## mistakes planted in the nodes, each noticed by the simulator: SEEDS=n, ONLY=name
	@scripts/mutants $(if $(ONLY),--only $(ONLY)) $(if $(SEEDS),--seeds $(SEEDS))

fuzz: setup ## libFuzzer on all that reads what others write, and on a node (MINUTES=n for each)
	@scripts/setup fuzz
	@scripts/fuzz --minutes $(MINUTES)

soak: setup ## real processes under load that release every resource (MINUTES=n, RATE=n; release build)
	swift build --configuration release --product bus-node
	.build/release/bus-node soak --topology Examples/soak/topology.yaml --minutes $(MINUTES) \
		$(if $(RATE),--rate $(RATE))

flood: setup ## a node under floods of children that leave: it lives, answers, and stays small (release build)
	swift build --configuration release --product bus-node
	scripts/flood

neighbours: setup ## a good worker's response time beside sixteen kinds of bad ones (release build)
	swift build --configuration release --product bus-node
	scripts/neighbours

compose-test: ## containers killed and taken off their networks: nothing lost, nothing twice
	@scripts/compose-test

bench: setup ## latency, throughput, CPU and memory between processes, beside raw libzmq and NATS
	@scripts/setup bench || echo "bench: not all can be measured" >&2
	@scripts/bench

clean: ## remove everything that was built
	rm -rf .build .build-tsan .build-release .build-mutants .build-fuzz .venv Benchmarks/.build Benchmarks/out
