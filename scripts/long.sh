#!/usr/bin/env bash
# Tests with their exhaustive parts.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
RTBWIRE_LONG=1 go test -vet=off -timeout 2h ./...
