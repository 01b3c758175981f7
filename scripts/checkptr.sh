#!/usr/bin/env bash
# Tests with a check of every conversion of an unsafe pointer, those of the standard library
# included.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
go test -vet=off -gcflags=all=-d=checkptr ./internal/simd/... ./wire/... ./openrtb/...
