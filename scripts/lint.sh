#!/usr/bin/env bash
# staticcheck, functions that nothing reaches, and shellcheck. The linters of .golangci.yml find
# more and take minutes to build: scripts/golangci.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# ST1000, ST1003, ST1020 to ST1022 and QF: as in .golangci.yml. SA1019: reading a field that the
# specification deprecates is what this project does; golangci-lint tells those uses from others.
readonly CHECKS='all,-ST1000,-ST1003,-ST1020,-ST1021,-ST1022,-QF*,-SA1019'

need_go
need lint
# Built into bin/ because "go tool -modfile" would make the linter see tools/ as the main module.
go -C tools build -o ../bin/ honnef.co/go/tools/cmd/staticcheck golang.org/x/tools/cmd/deadcode

for dir in . lab; do
  echo "staticcheck: $dir"
  (cd "$dir" && "$OLDPWD/bin/staticcheck" -checks "$CHECKS" ./...)
  # What tests and examples reach is in use; the exported names of the library are reached by both.
  echo "deadcode: $dir"
  unreachable=$(cd "$dir" && "$OLDPWD/bin/deadcode" -test ./...)
  [[ -z $unreachable ]] || die "nothing reaches these functions; remove them, or test those that users call:"$'\n'"$unreachable"
done

echo "shellcheck"
shellcheck -x -e SC1091 scripts/*.sh .ci/run # SC1091: lib.sh is checked by itself
