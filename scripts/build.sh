#!/usr/bin/env bash
# Builds bin/rtbwire.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

scripts/bootstrap.sh
flags=(-trimpath)
# git refuses to read a checkout of another user (a mounted volume, say); go build
# then fails instead of leaving the revision out.
git rev-parse --git-dir >/dev/null 2>&1 || flags+=(-buildvcs=false)
go build "${flags[@]}" -o bin/rtbwire ./cmd/rtbwire
