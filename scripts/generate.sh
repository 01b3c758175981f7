#!/usr/bin/env bash
# Regenerates everything that is generated.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
# In alphabetical order, on which one thing depends: adcom's directive writes the types that
# openrtb's reads.
go generate ./...
while read -r dir; do
  go -C "$dir" generate ./...
done < <(submodules)
generated_files '*.go' | xargs -r -d '\n' gofmt -w
