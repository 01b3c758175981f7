#!/usr/bin/env bash
# Formats every Go file, or with --check lists those that are not formatted.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
# Not "gofmt ." and not "./...": the first walks into testdata, the second skips _asm.
mapfile -d '' files < <(find . \( -name .git -o -name bin -o -name testdata \) -prune -o -name '*.go' -print0)
if [[ ${1:-} != --check ]]; then
  gofmt -w "${files[@]}"
  exit
fi
unformatted=$(gofmt -l "${files[@]}")
if [[ -n $unformatted ]]; then
  gofmt -d "${files[@]}" | head -n 60
  die "not formatted; run 'make fmt':"$'\n'"$unformatted"
fi
