# Every recipe is one call; the work is in scripts/, one file per question. "make demo" and
# "make test" are what a newcomer needs. Arguments of a script go into ARGS="...".

.DEFAULT_GOAL := help
.PHONY: demo test ci verify setup build dist fmt generate bench bench-published cpp clean help

demo: ## build bin/rtbwire; a gateway with simulated traffic for five seconds; more: make demo ARGS=--keep
	@scripts/demo.sh $(ARGS)

test: ## build, format, vet, unit tests; needs Go alone; before a commit
	@scripts/test.sh

ci: ## all that CI runs, or some legs: make ci STEPS="race tags"; before a pull request
	@SKIP="$(SKIP)" ARGS="$(ARGS)" scripts/legs.sh ci $(STEPS)

verify: ## what takes longer, hours in all, or some legs: make verify STEPS="cpp-asan checkptr"
	@SKIP="$(SKIP)" ARGS="$(ARGS)" scripts/legs.sh verify $(STEPS)

setup: ## as root: install with apt what "make ci" needs besides Go; more: make setup ARGS=verify
	@scripts/setup.sh $(ARGS)

build: ## build bin/rtbwire and bin/rtbwire-gen as they are released
	@scripts/build.sh

dist: ## what a release consists of, in dist/: archives, image, checksums; one platform: make dist ARGS="--only linux_amd64"
	@scripts/dist.sh $(ARGS)

fmt: ## format every Go file
	@scripts/fmt.sh $(ARGS)

generate: ## write everything that is generated again, then format
	@scripts/generate.sh

bench: ## every JSON library side by side, in three minutes; others: make bench ARGS="gateway --quick"
	@scripts/bench.sh $(ARGS)

bench-published: ## five texts measured again as their authors did, in half an hour: said, here, verdict; a first look: ARGS=--quick; to send in: ARGS=--row
	@scripts/bench.sh published $(ARGS)

cpp: ## build and test the C++ packet scanner; more: make cpp ARGS=asan, tsan, bench, fuzz, ...
	@scripts/cpp.sh $(ARGS)

clean: ## remove what the targets above left in bin/, dist/ and cpp/build/
	@rm -rf bin dist cpp/build

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
