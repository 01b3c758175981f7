#!/usr/bin/env bash
# golangci-lint, at the version that tools/go.mod pins, with the chosen list in .golangci.yml.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
# Built into bin/ because "go tool -modfile" would make the linter see tools/ as the main module.
go -C tools build -buildvcs=false -o ../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
bin/golangci-lint run --allow-serial-runners ./... # another run on the machine is waited for
(cd lab && ../bin/golangci-lint run --allow-serial-runners ./...)

if command -v shellcheck >/dev/null; then
  shellcheck -x -e SC1091 scripts/*.sh .ci/run # SC1091: lib.sh is checked by itself
else
  echo "shellcheck is not installed: the shell scripts were not checked"
fi
