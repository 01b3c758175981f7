#!/usr/bin/env bash
# Builds bin/rtbwire and bin/rtbwire-gen as they are released: without symbols and debug
# information, which are a third of the file.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
mkdir -p bin
go build -ldflags='-s -w' -o bin/ ./cmd/rtbwire ./cmd/rtbwire-gen
