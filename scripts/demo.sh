#!/usr/bin/env bash
# Builds bin/rtbwire and shows what it is for: a gateway with simulated traffic. Then what it says
# about the shipped data: real traffic. Arguments go to "rtbwire demo": make demo ARGS=--keep.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The first build compiles every dependency.
echo "building bin/rtbwire: a minute or two the first time, seconds later"
scripts/build.sh
printf '\n$ rtbwire demo %s\n' "$*"
bin/rtbwire demo "$@"

# Exit status 1 means findings, and real traffic has them; anything above is a failure.
files=(testdata/corpus/requests.ndjson testdata/corpus/responses.ndjson)
printf '\n$ rtbwire check --quiet --summary %s\n' "${files[*]}"
bin/rtbwire check --quiet --summary "${files[@]}" | sed -n '1,/╯/p' || ((PIPESTATUS[0] == 1))
