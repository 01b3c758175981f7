#!/usr/bin/env bash
# All tests in full, as users would run them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
go test ./...
