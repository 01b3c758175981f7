#!/usr/bin/env bash
# go vet for platforms that no test runs on, and for build tags that only measurements use: it
# proves that their files compile.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
for platform in darwin/arm64 windows/amd64 freebsd/amd64 linux/s390x; do
  echo "$platform"
  GOOS=${platform%/*} GOARCH=${platform#*/} go vet ./...
done
for tag in rtbwire_noguess rtbwire_noslab; do
  mapfile -t packages < <(differing -tags "$tag")
  if ((${#packages[@]} == 0)); then continue; fi
  echo "tag $tag"
  go vet -tags "$tag" "${packages[@]}"
done
