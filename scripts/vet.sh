#!/usr/bin/env bash
# go vet, once for each platform and tag that selects other files: it also proves that
# those files compile, and compares the assembly's frames with their Go declarations.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
for arch in amd64 arm64 386; do
  echo "linux/$arch"
  GOOS=linux GOARCH=$arch go vet ./...
done
for tag in noasm nounsafe purego rtbwiredebug; do
  echo "tag $tag"
  go vet -tags "$tag" ./...
done
