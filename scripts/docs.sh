#!/usr/bin/env bash
# Runs the commands that the documents show; internal/housekeeping finds them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
scripts/cpp.sh tool
RTBWIRE_RUN_COMMANDS=1 go test -count=1 -v -run '^TestCommands' ./internal/housekeeping | grep -v '^=== '
