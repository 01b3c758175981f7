#!/usr/bin/env bash
# Tests with each build tag: test-tags.sh [all].
#   noasm         plain Go kernels: the kernels' tests
#   nounsafe      no unsafe package: what reads and writes documents
#   rtbwiredebug  poisoned arenas: what decodes; with checks of unsafe pointers, which cost no build
#                 of their own
# The combination of noasm and nounsafe, purego, runs on 386 (test-arch.sh). "all" runs everything
# that the tags reach.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
for tag in noasm nounsafe rtbwiredebug; do
  flags=(-tags "$tag")
  case $tag in
  noasm) patterns=(./internal/simd/...) ;;
  nounsafe) patterns=(./internal/mem/... ./wire/...) ;;
  rtbwiredebug)
    patterns=(./wire/coder/... ./openrtb/... ./internal/conformance/...)
    flags+=(-gcflags=-d=checkptr)
    ;;
  esac
  if [[ ${1:-} == all ]]; then
    patterns=(./internal/simd/... ./internal/mem/... ./internal/conformance/... ./wire/... ./openrtb/...
      ./inspect/... ./batch/...)
  fi
  mapfile -t files < <(differing -tags "$tag")
  ((${#files[@]} > 0)) || die "no file differs with the tag $tag: is it still used?"
  echo "${flags[*]}"
  go vet -tags "$tag" "${files[@]}"
  go test -short -vet=off "${flags[@]}" "${patterns[@]}"
done
