#!/usr/bin/env bash
# Vets every package and runs its unit tests; notes the coverage of those that have a gate
# (scripts/gates.sh) in bin/coverage. Not of all: Go compiles a package again to count statements.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source scripts/gates.sh

need_go
mapfile -t gated < <(cut -d ' ' -f 1 <<<"$GATES" | xargs go list)
mapfile -t rest < <(comm -13 <(printf '%s\n' "${gated[@]}" | sort) <(go list ./... | sort))
mkdir -p bin
rm -f bin/coverage
go test -vet=all "${rest[@]}"
go test -vet=all -cover "${gated[@]}" | tee bin/coverage.new
mv bin/coverage.new bin/coverage
