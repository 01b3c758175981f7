# Every recipe is one call; the work is in scripts/, one file per question.
# "make demo" and "make test" are the two commands a newcomer needs, and come first.

.DEFAULT_GOAL := help
.PHONY: demo test build fmt fmt-check vet lint generate generate-check unit race cover \
	test-tags test-386 test-arm64 test-avx512 modules bench bench-full fuzz differential mutation cpp \
	clean help

demo: ## build bin/rtbwire and check the shipped corpus with it
	@scripts/demo.sh

test: ## everything CI runs, step by step, stopping at the first failure
	@scripts/test.sh

build: ## build bin/rtbwire
	@scripts/build.sh

fmt: ## format every Go file
	@scripts/fmt.sh

fmt-check: ## list what fmt would change, change nothing
	@scripts/fmt.sh --check

vet: ## go vet, for each platform and build tag that selects other files
	@scripts/vet.sh

lint: ## golangci-lint from tools/go.mod with .golangci.yml; shellcheck where installed
	@scripts/lint.sh

generate: ## regenerate everything that is generated, then format
	@scripts/generate.sh

generate-check: ## regenerate in a copy and fail with the diff when committed files are stale
	@scripts/generate-check.sh

unit: ## go test ./...
	@scripts/unit.sh

race: ## tests under the race detector (needs a C compiler)
	@scripts/race.sh

cover: ## statement coverage per package, with the gates of scripts/cover.sh
	@scripts/cover.sh

test-tags: ## tests built with noasm, nounsafe and purego
	@scripts/test-tags.sh

test-386: ## all tests on 32 bits, plain Go
	@scripts/test-arch.sh 386

test-arm64: ## the arm64 assembly and what stands on it (under qemu-user where needed)
	@scripts/test-arch.sh arm64

test-avx512: ## the AVX-512 kernels, emulated where the processor has none (10 minutes)
	@scripts/test-avx512.sh

modules: ## vet, build and test the modules inside this repository; go.mod files are tidy
	@scripts/modules.sh

bench: ## every JSON library side by side, in three minutes: tables and plots in lab/results/
	@scripts/bench.sh quick $(BENCH)

bench-full: ## the same with long measurements, for publishing (an hour); others: make bench-full BENCH="--sets app"
	@scripts/bench.sh full $(BENCH)

fuzz: ## fuzz targets one after the other, 30m each; others: make fuzz FUZZ="-l fuzz.log 5m FuzzSequence"
	@scripts/fuzz.sh $(FUZZ)

differential: ## 100 million documents against encoding/json; others: make differential DIFFERENTIAL="-l run.log 1000000"
	@scripts/differential.sh $(DIFFERENTIAL)

mutation: ## plant faults in a copy of the tree; the tests have to catch each (half an hour)
	@scripts/mutation.sh

cpp: ## build and test the C++ packet scanner; others: make cpp CPP=asan, tsan, bench, fuzz, install or python
	@scripts/cpp.sh $(CPP)

clean: ## remove what the targets above left behind
	@rm -rf bin

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
