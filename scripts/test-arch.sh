#!/usr/bin/env bash
# Runs tests compiled for another platform: test-arch.sh 386|arm64.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

arch=${1:?"usage: test-arch.sh 386|arm64"}
flags=(-short)
case $arch in
386)
  # Everything: int has 32 bits in every package. There are no kernels for 386.
  flags+=(-tags purego)
  patterns=(./...)
  ;;
arm64)
  # The kernels and what stands on them; emulation is about 10 times slower.
  mapfile -t patterns < <(packages ./internal/simd/... ./wire/... ./openrtb/...)
  ;;
*) die "test-arch.sh: no such platform: $arch" ;;
esac

need_go
if ((${#patterns[@]} == 0)); then exit; fi
runner=$(runner_for "$arch") ||
  left_out "linux/$arch programs do not run here (sudo apt-get install -y qemu-user)"
if [[ -n $runner ]]; then flags+=(-exec "$runner"); fi
GOOS=linux GOARCH=$arch go test "${flags[@]}" "${patterns[@]}"
