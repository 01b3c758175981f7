#!/usr/bin/env bash
# Measures every library with lab/ and writes tables and a report: bench.sh [PRESET] [FLAG...].
# Presets are quick (the default, about three minutes), readme (what the README shows, two to ten
# minutes) and full (an hour or two). Flags go to the lab; "go run . --help" in lab/ explains them.
# Results of the C++ comparison join the report if there are any: make cpp ARGS=bench
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

preset=${1:-quick}
(($# == 0)) || shift
need_go
echo "building the lab and the libraries that it measures (a minute the first time)"
go -C lab run . --preset "$preset" "$@"
