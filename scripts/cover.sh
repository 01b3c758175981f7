#!/usr/bin/env bash
# Holds the coverage of packages against their gates: the least percentage of statements that their
# own tests have to reach. A wrong verdict or a wrong decode is what users would notice last.
# It is not part of "make test": Go compiles a package again to count statements.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly GATES='./internal/serving/guard 90
./internal/serving/balance 90
./inspect 90
./inspect/fraud 95
./inspect/geoip 90
./inspect/lists 90
./inspect/payload 90
./inspect/policy 90
./internal/filewatch 90
./inspect/schema 90
./inspect/scrub 90
./inspect/supply 90
./internal/useragent 90
./inspect/vendor 90
./inspect/window 90
./config 90
./openrtb 90
./internal/traffic/simulate 90
./internal/traffic/simulate/judge 90'

need_go
mapfile -t packages < <(cut -d ' ' -f 1 <<<"$GATES")
mkdir -p bin
go test -vet=off -cover "${packages[@]}" | tee bin/coverage
status=0
while read -r package least; do
  # "ok <tab> PACKAGE <tab> TIME <tab> coverage: 91.2% of statements"
  got=$(awk -F '\t' -v p="$(go list "$package")" '$2 == p && match($0, /coverage: [0-9.]+%/) {
    print substr($0, RSTART + 10, RLENGTH - 11) }' bin/coverage)
  if awk -v got="${got:-0}" -v least="$least" 'BEGIN { exit !(got + 0 < least) }'; then
    echo "coverage of $package is ${got:-none}%, below its gate of $least%: add the missing tests" >&2
    status=1
  fi
done <<<"$GATES"
exit "$status"
