#!/usr/bin/env bash
# Measures every library with lab/ and writes tables and a report: bench.sh [PRESET] [FLAG...].
# Presets are quick (the default, about three minutes), readme (what the README shows, five to
# fifteen minutes) and full (an hour or two). Flags go to the lab; "go run . --help" in lab/ has
# them.
#
# "full" without flags also measures everything else that docs/claims.md holds against published
# figures, an hour more, and writes that page. What the machine lacks is left out, and keeps its
# earlier figures.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

preset=${1:-quick}
(($# == 0)) || shift
need_go
echo "building the lab and the libraries that it measures (a minute the first time)"
go -C lab run . --preset "$preset" "$@"

[[ $preset == full && $# == 0 ]] || exit 0
go -C lab run ./claims take # of the run above
go -C lab run . parallel --write
go -C lab run . tail --write
go -C lab run . ablation --write
go -C lab run ./playbook --write
go -C lab run ./claims profile
go -C lab run ./claims census
if [[ -z $(scripts/setup.sh --missing cpp-bench) ]]; then
  scripts/cpp.sh bench --publish
else
  echo "left out: the C++ comparison; to install what it needs, as root: make setup ARGS=cpp-bench" >&2
fi
go -C lab run ./claims --write
echo "docs/claims.md"
