#!/usr/bin/env bash
# Writes everything that is generated again. With --check it fails, with the diff, when a committed
# file is not what the generators write; it works on a copy, so that neither the checkout nor what
# is being edited in it matters.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
if [[ ${1:-} != --check ]]; then
  # In alphabetical order, on which one thing depends: adcom's directive writes the types that
  # openrtb's reads.
  go generate ./...
  while read -r dir; do
    go -C "$dir" generate ./...
  done < <(submodules)
  generated_files '*.go' | xargs -r -d '\n' gofmt -w
  exit
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
copy_tree "$dir/committed"
copy_tree "$dir/generated"

# A file that no generator writes any more would pass unseen. Deleting the generated
# files first would show it, but a generator may itself be built from one; a comment at
# their ends shows it as well: it survives only in what is not written again.
(
  cd "$dir/generated"
  generated_files '*.go' '*.s' | while IFS= read -r file; do
    echo '// orphan: no generator wrote this file; delete it' >>"$file"
  done
)
"$dir/generated/scripts/generate.sh"

if ! diff -ruN --exclude=bin "$dir/committed" "$dir/generated" >"$dir/diff"; then
  sed "s|$dir/||g" "$dir/diff" | head -n 200
  die "generated files are stale; run 'make generate' and commit what changes"
fi
