#!/usr/bin/env bash
# Measures rtbwire policy diff on simulated requests, a million by default (COUNT): time and peak
# memory, on one core and on all of them. The result has to be the one of two runs of rtbwire
# filter on the same file.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly COUNT=${COUNT:-1000000}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
scripts/build.sh

echo "making $COUNT requests"
bin/rtbwire simulate --count "$COUNT" --seed 7 --defects 5% --payloads 2% --fraud 2% -o "$dir/bids.ndjson"
cat >"$dir/old.yaml" <<'YAML'
version: 1
severities: {fraud.score: refuse}
rules: [{name: video, when: 'imp.exists(i, has(i.video))', severity: refuse}]
YAML
cat >"$dir/new.yaml" <<'YAML'
version: 1
severities: {"payload.*": observe}
enforce: 90%
rules:
  - {name: video, when: 'imp.exists(i, has(i.video))', severity: warn}
  - {name: cheap, when: 'imp.exists(i, i.bidfloor > 0.0 && i.bidfloor < 0.1)', severity: refuse}
YAML

# measure NAME JOBS prints the time of a diff and the peak of its resident memory, which the kernel
# keeps per process.
measure() {
  local name=$1 jobs=$2 pid peak=0 kb began
  began=$(date +%s.%N)
  bin/rtbwire policy diff --old "$dir/old.yaml" --new "$dir/new.yaml" --jobs "$jobs" --format json -o "$dir/diff.json" "$dir/bids.ndjson" &
  pid=$!
  while kb=$(awk '/VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null) && [[ -n $kb ]]; do
    peak=$kb
    sleep 0.05
  done
  wait "$pid" || (($? == 1)) # changes are no failure here
  awk -v name="$name" -v peak="$peak" -v began="$began" -v ended="$(date +%s.%N)" -v count="$COUNT" 'BEGIN {
    seconds = ended - began
    printf "%s: %.1f s, %.0f requests/s, peak memory %d MiB\n", name, seconds, count / seconds, peak / 1024}'
}

measure "one job" 1
measure "a job for each core" 0

# verdicts CONFIGURATION prints action and reason of each line.
verdicts() {
  bin/rtbwire filter --emit verdict --config "$1" "$dir/bids.ndjson" | sed -E 's/^.*"action":"([a-z]+)","reason":"([^"]*)".*$/\1 \2/'
}
paste -d ' ' <(verdicts "$dir/old.yaml") <(verdicts "$dir/new.yaml") | awk '
  $1 == "forward" && $2 == "refuse" {refuse++}
  $1 == "refuse" && $3 == "forward" {forward++}
  $1 == "refuse" && $3 == "refuse" && $2 != $4 {other++}
  END {print "to-refuse", refuse + 0; print "to-forward", forward + 0; print "other-reason", other + 0}' >"$dir/filters.txt"
awk -F '[:,]' '
  /"change":/ {gsub(/[ "]/, "", $2); change = $2; next}
  change && /"requests":/ {gsub(/ /, "", $2); if (change !~ /observed/) print change, $2; change = ""}' "$dir/diff.json" >"$dir/diff.txt"
diff "$dir/filters.txt" "$dir/diff.txt" || die "the diff is not the one of two filters"
echo "as two runs of filter:" && cat "$dir/diff.txt"
