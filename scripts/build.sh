#!/usr/bin/env bash
# Builds bin/rtbwire.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
go build -o bin/rtbwire ./cmd/rtbwire
