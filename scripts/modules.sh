#!/usr/bin/env bash
# The modules inside this repository (assembly generators, the lab): each must vet, build and pass
# its tests, since "./..." of the root does not reach them; every go.mod must be tidy.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
echo "."
go mod tidy -diff || die "run 'go mod tidy'"
while read -r dir; do
  echo "$dir"
  go -C "$dir" mod tidy -diff || die "run 'go -C $dir mod tidy'"
  go -C "$dir" test -vet=all -short ./...
done < <(submodules)
