#!/usr/bin/env bash
# What each technique of the decoder is worth: builds that leave one out, and index kernels below
# the best, against the full build. Interleaved on one pinned core; medians of ROUNDS (10).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly ROUNDS=${ROUNDS:-10} TIME=${TIME:-50ms} CORE=${CORE:-0}
need_go
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

declare -A tags=([full]='' [guessing]=rtbwire_noguess [slabs]=rtbwire_noslab [unsafe]=nounsafe)
for build in "${!tags[@]}"; do
  go test -c -tags "${tags[$build]}" -o "$dir/$build" ./openrtb
done

cd openrtb # where the benchmarks expect to find their data
pin=(taskset -c "$CORE")
command -v taskset >/dev/null || pin=()
for ((round = 1; round <= ROUNDS; round++)); do
  printf 'round %d of %d\r' "$round" "$ROUNDS" >&2
  for build in full guessing slabs unsafe; do
    "${pin[@]}" "$dir/$build" -test.run '^$' -test.bench ParseFastArena -test.benchtime "$TIME" |
      awk -v build="$build" '/ns\/op/ {
        split($1, part, "[/=]"); sub(/-[0-9]+$/, "", part[5])
        print part[3], (build == "full" ? part[5] : build " " part[5]), $3
      }'
  done
done >"$dir/times"

# The best kernel of the machine is the one that runs last; the other builds count with it alone.
best=$(awk 'NF == 3 {last = $2} END {print last}' "$dir/times")
awk -v best="$best" '
  NF == 3 {key = $1 SUBSEP ($2 == best ? "full" : "index: " $2); value = $3}
  NF == 4 {if ($3 != best) next; key = $1 SUBSEP $2; value = $4}
  {times[key, ++count[key]] = value; split(key, k, SUBSEP); sets[k[1]]; builds[k[2]]}
  function median(key, n, i, j, t) {
    n = count[key]
    for (i = 1; i <= n; i++) sorted[i] = times[key, i]
    for (i = 2; i <= n; i++) {
      t = sorted[i]
      for (j = i - 1; j > 0 && sorted[j] > t; j--) sorted[j + 1] = sorted[j]
      sorted[j + 1] = t
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
  }
  END {
    for (set in sets) for (build in builds) if (build != "full")
      printf "%-13s without %-18s %6.2f times as long\n", set, build, median(set SUBSEP build) / median(set SUBSEP "full")
    for (set in sets) printf "%-13s full, index: %-11s %8.0f ns\n", set, best, median(set SUBSEP "full")
  }' "$dir/times" | sort
