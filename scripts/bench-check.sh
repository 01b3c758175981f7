#!/usr/bin/env bash
# Measures rtbwire check on a large file of repeated corpus lines: throughput and peak memory, on
# one core and on all of them; then user time on one core, by preset, in turns with rtblint in
# batch mode if that is installed (cargo install rtblint; RTBLINT names another program). SIZE_MB
# sets the size (1024), RUNS how often (3).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly SIZE_MB=${SIZE_MB:-1024} RUNS=${RUNS:-3}
readonly CORPUS=testdata/corpus/requests.ndjson

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
scripts/build.sh

blocks=$((SIZE_MB * 1048576 / ($(wc -c <"$CORPUS") * 64) + 1))
echo "writing $((blocks * 64)) copies of $CORPUS"
for _ in {1..64}; do cat "$CORPUS"; done >"$dir/block"
for ((i = 0; i < blocks; i++)); do cat "$dir/block"; done >"$dir/traffic.ndjson"

# measure NAME JOBS COMMAND... prints the last line of the summary and the peak of the
# resident memory, which the kernel keeps per process.
measure() {
  local name=$1 jobs=$2 pid peak=0 kb
  shift 2
  "$@" bin/rtbwire check --quiet --summary --jobs "$jobs" "$dir/traffic.ndjson" >"$dir/out" 2>/dev/null &
  pid=$!
  while kb=$(awk '/VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null) && [[ -n $kb ]]; do
    peak=$kb
    sleep 0.05
  done
  wait "$pid" || (($? == 1)) # findings are no failure here
  printf '%s: %s; peak memory %d MiB\n' "$name" "$(tail -n 1 "$dir/out")" "$((peak / 1024))"
}

# user NAME COMMAND... appends the user time of a command to the file of that name, in seconds.
user() {
  local name=$1
  shift
  { TIMEFORMAT=%U; time taskset -c 0 env GOMAXPROCS=1 "$@" >/dev/null 2>&1 || (($? == 1)); } 2>>"$dir/user-$name"
}

# median NAME prints the median of the times in a file.
median() { sort -n "$dir/user-$1" | awk '{t[NR] = $1} END {print t[int((NR + 1) / 2)]}'; }

# compare prints the user times of one core for each preset.
compare() {
  local presets=(strict exchange) rtblint=${RTBLINT:-rtblint} i preset
  for ((i = 1; i <= RUNS; i++)); do
    for preset in "${presets[@]}"; do
      user "$preset" bin/rtbwire check --quiet --summary --preset "$preset" "$dir/traffic.ndjson"
      user "$preset-ndjson" bin/rtbwire check --format ndjson --preset "$preset" "$dir/traffic.ndjson"
      user "$preset-judged" bin/rtbwire check --quiet --preset "$preset" --payload --fraud "$dir/traffic.ndjson"
      user "$preset-judged-ndjson" bin/rtbwire check --format ndjson --preset "$preset" --payload --fraud "$dir/traffic.ndjson"
      user "$preset-parquet" bin/rtbwire check --format parquet --output "$dir/out.parquet" --preset "$preset" "$dir/traffic.ndjson"
    done
    if command -v "$rtblint" >/dev/null; then
      user rtblint "$rtblint" validate --batch --summary "$dir/traffic.ndjson"
    fi
  done
  for preset in "${presets[@]}"; do
    printf '%s: %s s of user time, ndjson %s s; with all inspectors %s s, ndjson %s s, parquet %s s\n' "$preset" "$(median "$preset")" \
      "$(median "$preset-ndjson")" "$(median "$preset-judged")" "$(median "$preset-judged-ndjson")" "$(median "$preset-parquet")"
  done
  if command -v "$rtblint" >/dev/null; then
    printf 'rtblint: %s s of user time\n' "$(median rtblint)"
  else
    echo "rtblint is not installed; to compare with it: cargo install rtblint"
  fi
}

for ((i = 1; i <= RUNS; i++)); do
  measure "one core" 1 taskset -c 0
  measure "$(nproc) cores" 0 env
done
compare
