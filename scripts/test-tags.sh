#!/usr/bin/env bash
# Tests with each build tag that selects other files: noasm (plain Go kernels), nounsafe
# (no unsafe package), purego (both), rtbwiredebug (poisoned arenas).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
# What the tags reach; the packages above these read only results.
mapfile -t reached < <(packages ./internal/simd/... ./wire/... ./openrtb/... ./inspect/...)
if ((${#reached[@]} == 0)); then exit; fi
for tag in noasm nounsafe purego rtbwiredebug; do
  echo "tag $tag"
  go test -short -tags "$tag" "${reached[@]}"
done
