#!/usr/bin/env bash
# Plants faults in a copy of the tree and wants the tests to catch each; see docs/testing.md.
# mutation.sh -run REGEXP plants only some, -list lists them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
go run "$(go list ./internal/... | grep '/mutation$')" "$@"
