#!/usr/bin/env bash
# Tests under the race detector; -short because it is 5 to 10 times slower and what
# -short leaves out (exhaustive input walks) starts no goroutines.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
compiles_c || left_out "the race detector needs a C compiler (sudo apt-get install -y gcc libc6-dev)"
CGO_ENABLED=1 go test -race -short ./...
