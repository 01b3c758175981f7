#!/usr/bin/env bash
# What a person runs before a commit: build, format, vet and every unit test. It needs Go alone and
# installs nothing.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
echo "build, format, vet and unit tests: two minutes on two cores the first time, seconds when nothing changed"
step build go build ./...
step format scripts/fmt.sh --check
step unit scripts/unit.sh
steps_table "make test: all passed"
