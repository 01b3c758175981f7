#!/usr/bin/env bash
# golangci-lint, at the version that tools/go.mod pins, with the chosen list in .golangci.yml.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
go -C tools build -o ../bin/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
for dir in . lab; do
  echo "$dir"
  (cd "$dir" && "$OLDPWD/bin/golangci-lint" run --allow-serial-runners ./...) # another run on the machine is waited for
done
