#!/usr/bin/env bash
# Statement coverage of each package by its own tests, with a gate for those below.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Package and least percentage. A wrong verdict or a wrong decode is what users would
# notice last, so these two are held to it.
readonly GATES='
inspect/schema 90
openrtb 90
'

need_go
report=$(mktemp)
trap 'rm -f "$report"' EXIT
go test -short -cover ./... | tee "$report"

status=0
while read -r package least; do
  if [[ -z $package || ! -d $package ]]; then continue; fi
  got=$(awk -v p="$(go list -m)/$package" '
    { for (i = 1; i <= 2; i++) if ($i == p) for (j = i; j < NF; j++) if ($j == "coverage:") { sub("%", "", $(j+1)); print $(j+1) } }' "$report")
  if awk -v got="${got:-0}" -v least="$least" 'BEGIN { exit !(got + 0 < least) }'; then
    echo "coverage of $package is ${got:-0}%, its gate is $least%: add the missing tests" >&2
    status=1
  fi
done <<<"$GATES"
exit "$status"
