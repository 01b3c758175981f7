#!/usr/bin/env bash
# Measures rtbwire check on a large file of repeated corpus lines: throughput on one core and
# peak memory. SIZE_MB sets the size (default 1024), CPU the core (default 0), RUNS how often.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

size=${SIZE_MB:-1024} cpu=${CPU:-0} runs=${RUNS:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
scripts/build.sh

corpus=testdata/corpus/requests.ndjson
copies=$((size * 1048576 / $(wc -c <"$corpus") + 1))
echo "writing $copies copies of $corpus, $size MiB"
for _ in $(seq 64); do cat "$corpus"; done >"$dir/block"
for _ in $(seq $(((copies + 63) / 64))); do cat "$dir/block"; done >"$dir/traffic.ndjson"
rm "$dir/block"

for run in $(seq "$runs"); do
	taskset -c "$cpu" bin/rtbwire check --jobs 1 --summary --output "$dir/out" "$dir/traffic.ndjson" 2>"$dir/err" &
	pid=$!
	peak=0
	while read -r kb < <(awk '/VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null) && [ -n "$kb" ]; do
		peak=$kb
		sleep 0.1
	done
	wait "$pid" || [ $? -eq 1 ] # findings are not a failure here
	echo "run $run: $(tail -n 1 "$dir/out"), peak memory $((peak / 1024)) MiB"
done
