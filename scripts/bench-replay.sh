#!/usr/bin/env bash
# Prints how many requests a second "rtbwire replay" and "rtbwire simulate core" carry together,
# with a processor each: as many as possible, and the highest rate that keeps LIMIT (p99<5ms). Then
# the throughput and the processor time of replay beside those of wrk and h2load, if both are
# installed. SECONDS_EACH is how long each measurement takes (5).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly LIMIT=${LIMIT:-'p99<5ms'} SECONDS_EACH=${SECONDS_EACH:-5}

dir=$(mktemp -d)
core=
trap 'if [[ -n $core ]]; then kill -INT "$core" || true; wait "$core" || true; fi; rm -rf "$dir"' EXIT
scripts/build.sh

on() { # on CPU COMMAND... runs a command on one processor
  local cpu=$1
  shift
  if (($(nproc) > 1)); then taskset -c "$cpu" "$@"; else "$@"; fi
}

on 0 bin/rtbwire simulate core --listen "unix:$dir/core.sock" --bid 100% >"$dir/core" 2>&1 &
core=$!
while [[ ! -S $dir/core.sock ]]; do sleep 0.1; done

for requests in testdata/bench/banner.json testdata/corpus/requests.ndjson; do
  printf '\n== %s, as many as possible ==\n' "$requests"
  on 1 bin/rtbwire replay --unix "$dir/core.sock" --rate max --duration "${SECONDS_EACH}s" "$requests" || (($? == 1))
  printf '\n== %s, %s ==\n' "$requests" "$LIMIT"
  on 1 bin/rtbwire replay --unix "$dir/core.sock" --find-limit "$LIMIT" --rate 4000 --duration "${SECONDS_EACH}s" "$requests" ||
    echo "(exit status $?)"
done

printf '\n== beside wrk and h2load ==\n'
RTBWIRE_LONG=1 go test ./internal/traffic/replay -run TestOtherGenerators -v | grep -E 'bytes:|SKIP|there is no|^ok|FAIL'
