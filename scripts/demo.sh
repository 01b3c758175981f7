#!/usr/bin/env bash
# Builds bin/rtbwire and shows what it says about the shipped data: real traffic and the
# examples that the specification prints.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# check FILE... prints the command, then the totals; without --quiet the findings come first,
# one a line. Exit status 1 means findings, and real traffic has them; anything above is a
# failure.
check() {
  local status=0
  printf '\n$ rtbwire check --quiet --summary %s\n' "$*"
  bin/rtbwire check --quiet --summary "$@" || status=$?
  if ((status > 1)); then exit "$status"; fi
}

echo "building bin/rtbwire"
scripts/build.sh
check testdata/corpus/requests.ndjson testdata/corpus/responses.ndjson
check testdata/spec-examples/requests/*.json testdata/spec-examples/responses/*.json
