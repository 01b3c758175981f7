# Every recipe is one call; the work is in scripts/, one file per question. "make demo" and
# "make test" are what a newcomer needs. Targets that take arguments take them as ARGS="...".

.DEFAULT_GOAL := help
.PHONY: demo test ci verify setup build fmt lint generate cpp fuzz differential mutation \
	bench bench-full bench-check bench-replay bench-gateway bench-stream ablation stream engines screenshot clean help

demo: ## build bin/rtbwire; a gateway with simulated traffic for five seconds; more: make demo ARGS=--keep
	@scripts/demo.sh $(ARGS)

test: ## build, format, vet, unit tests; needs Go alone; before a commit
	@scripts/test.sh

ci: ## all that CI runs, or some legs: make ci STEPS="race tags"; before a pull request
	@SKIP="$(SKIP)" scripts/legs.sh ci $(STEPS)

verify: ## what takes longer, hours in all, or some legs: make verify STEPS="cpp-asan checkptr"
	@SKIP="$(SKIP)" scripts/legs.sh verify $(STEPS)

setup: ## as root: install with apt what "make ci" needs besides Go; more: make setup ARGS=verify
	@scripts/setup.sh $(ARGS)

build: ## build bin/rtbwire and bin/rtbwire-gen
	@scripts/build.sh

fmt: ## format every Go file
	@scripts/fmt.sh $(ARGS)

lint: ## staticcheck, unreachable functions, shell scripts; all linters: make verify STEPS=golangci
	@scripts/lint.sh

generate: ## write everything that is generated again, then format
	@scripts/generate.sh

cpp: ## build and test the C++ packet scanner; more: make cpp ARGS=asan, tsan, bench, fuzz, ...
	@scripts/cpp.sh $(ARGS)

fuzz: ## fuzz targets one after the other, 30m each; others: make fuzz ARGS="-l fuzz.log 5m FuzzSequence"
	@scripts/fuzz.sh $(ARGS)

differential: ## 100 million documents against encoding/json; others: make differential ARGS="-l run.log 1000000"
	@scripts/differential.sh $(ARGS)

mutation: ## plant faults in a copy of the tree, which the tests have to catch; some: make mutation ARGS="-run stale"
	@scripts/mutation.sh $(ARGS)

bench: ## every JSON library side by side, in three minutes: tables and plots in lab/results/
	@scripts/bench.sh quick $(ARGS)

bench-full: ## the same with long measurements, and docs/claims.md (two hours); part of it: make bench-full ARGS="--sets app"
	@scripts/bench.sh full $(ARGS)

bench-check: ## throughput and memory of "rtbwire check" on a large file
	@scripts/bench-check.sh

bench-replay: ## what "rtbwire replay" and the stand-in core carry together, and wrk and h2load beside it
	@scripts/bench-replay.sh

bench-gateway: ## the gateway beside proxies and handlers, in 40 minutes; others: make bench-gateway ARGS="--quick"
	@scripts/bench-gateway.sh $(ARGS)

bench-stream: ## a stream beside a bare copy loop, on a real broker, in ten minutes; others: make bench-stream ARGS="--quick"
	@scripts/bench-stream.sh $(ARGS)

stream: ## streams on real Kafka brokers (Java, Maven), in about a minute; more: make stream ARGS=full
	@scripts/stream.sh $(ARGS)

engines: ## examples for DuckDB, ClickHouse and Spark on the engines (a gigabyte, once); more: make engines ARGS=--long
	@scripts/engines.sh $(ARGS)

screenshot: ## the picture of the gateway's page in docs/, in a headless Chromium
	@scripts/browser.sh screenshot

ablation: ## what each technique of two decoders is worth, in five to twenty minutes; others: make ablation ARGS="--quick"
	@scripts/ablation.sh $(ARGS)

clean: ## remove what the targets above left in bin/ and cpp/build/
	@rm -rf bin cpp/build

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
