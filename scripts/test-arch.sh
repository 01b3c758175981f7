#!/usr/bin/env bash
# Runs tests compiled for another platform: test-arch.sh 386|arm64 [all].
#   386    int has 32 bits, and with the tag purego there is neither assembly nor unsafe; what only
#          developers run is left to "all"
#   arm64  its kernels, and the contract of the decoder that uses them; an emulator is about 10
#          times slower, so the other tests are left to "all"
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

arch=${1:?"usage: test-arch.sh 386|arm64 [all]"}
flags=(-short -vet=off) vet=()
need_go
case $arch in
386)
  flags+=(-tags purego) vet+=(-tags purego)
  # Without brokers and RTBWIRE_E2E some tests do nothing; agreement and parsers compare what is
  # tested here.
  mapfile -t patterns < <(go list ./... | grep -vE '/(cmd|gen|examples|spec|internal/(tools|housekeeping|kafkatest|e2e))(/|$)')
  ;;
arm64) patterns=(./internal/simd/...) ;;
*) die "test-arch.sh: no such platform: $arch" ;;
esac

need "$arch"
runner=$(runner_for "$arch")
if [[ -n $runner ]]; then flags+=(-exec "$runner"); fi
export GOOS=linux GOARCH=$arch
if [[ ${2:-} == all ]]; then
  go vet "${vet[@]}" ./...
  patterns=(./...)
  if [[ -n $runner ]]; then # an emulator of one process can't run the programs that tests build
    mapfile -t patterns < <(go list ./... | grep -vE '/(cmd/rtbwire|gen|examples/vendor|internal/traffic/core)$')
  fi
  exec go test "${flags[@]}" "${patterns[@]}"
fi
mapfile -t files < <(differing "${vet[@]}")
go vet "${vet[@]}" "${files[@]}" # compares the assembly's frames with their Go declarations
go test "${flags[@]}" "${patterns[@]}"
if [[ $arch == arm64 ]]; then
  go test "${flags[@]}" -run 'Contract' ./internal/conformance
fi
