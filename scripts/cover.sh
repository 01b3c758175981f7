#!/usr/bin/env bash
# Holds the coverage that "make test" has noted against the gates of scripts/gates.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source scripts/gates.sh

need_go
readonly REPORT=bin/coverage
if [[ ! -e $REPORT || -n $(find . -name '*.go' -newer "$REPORT" -not -path './bin/*' | head -n 1) ]]; then
  echo "no coverage of the tree as it is: running make test"
  scripts/test.sh
fi
status=0
while read -r package least; do
  # "ok <tab> PACKAGE <tab> TIME <tab> coverage: 91.2% of statements"
  got=$(awk -F '\t' -v p="$(go list "$package")" '$2 == p && match($0, /coverage: [0-9.]+%/) {
    print substr($0, RSTART + 10, RLENGTH - 11) }' "$REPORT")
  echo "coverage of $package: ${got:-none}%, its gate is $least%"
  if awk -v got="${got:-0}" -v least="$least" 'BEGIN { exit !(got + 0 < least) }'; then
    echo "coverage of $package is below its gate: add the missing tests" >&2
    status=1
  fi
done <<<"$GATES"
exit "$status"
