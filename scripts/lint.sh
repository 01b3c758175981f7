#!/usr/bin/env bash
# go vet, staticcheck, functions that nothing reaches, and shellcheck. The linters of .golangci.yml
# find more and take minutes to build: lint.sh golangci runs them, at the version that tools/go.mod
# pins.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# ST1000, ST1003, ST1020 to ST1022 and QF: as in .golangci.yml. SA1019: reading a field that the
# specification deprecates is what this project does; golangci-lint tells those uses from others.
readonly CHECKS='all,-ST1000,-ST1003,-ST1020,-ST1021,-ST1022,-QF*,-SA1019'

need_go
if [[ ${1:-} == golangci ]]; then
  go -C tools build -o ../bin/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
  for dir in . lab; do
    echo "$dir"
    (cd "$dir" && "$OLDPWD/bin/golangci-lint" run --allow-serial-runners ./...) # another run on the machine is waited for
  done
  exit
fi
need lint
echo "vet"
go vet ./... # all of it: make test leaves out the slowest analyzer

# Built into bin/ because "go tool -modfile" would make the linter see tools/ as the main module.
go -C tools build -o ../bin/ honnef.co/go/tools/cmd/staticcheck golang.org/x/tools/cmd/deadcode

for dir in . lab; do
  echo "staticcheck: $dir"
  # easyjson's copy of the types has an option in its tags that no linter knows.
  (cd "$dir" && go list ./... | grep -v /easy/worker/nocopy | xargs "$OLDPWD/bin/staticcheck" -checks "$CHECKS")
  # What tests and examples reach is in use; the exported names of the library are reached by both.
  # internal/timing and published are there for other modules of the lab.
  echo "deadcode: $dir"
  unreachable=$(cd "$dir" && "$OLDPWD/bin/deadcode" -test ./... | { grep -Ev '^(internal/timing|published)/' || true; })
  [[ -z $unreachable ]] || die "nothing reaches these functions; remove them, or test those that users call:"$'\n'"$unreachable"
done

echo "shellcheck"
shellcheck -x -e SC1091 scripts/*.sh deploy/action/*.sh .ci/run # SC1091: lib.sh is checked by itself
