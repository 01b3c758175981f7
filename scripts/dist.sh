#!/usr/bin/env bash
# Builds what a release consists of into dist/: an archive for each platform with programs, manual
# pages, completions, licences and lists of modules; a container image; checksums. Flags go to
# internal/tools/dist: dist.sh --only linux_amd64. Without git, RELEASE is the tag and
# SOURCE_DATE_EPOCH the time of the release.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go -C internal/tools/dist build -buildvcs=false -o "$bin/dist" .
"$bin/dist" "$@"
