#!/usr/bin/env bash
# Gives every fuzz target 500 inputs, to see that it works; fuzz.sh is what finds something.
# The tests' own programs are used, which costs no second build of everything: without the
# instrumentation that "go test -fuzz" adds, inputs change at random.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
built=
while read -r folder name; do
  if [[ $folder != "$built" ]]; then
    go test -c -vet=off -o "$dir/test" "./$folder"
    built=$folder
  fi
  start=$SECONDS
  (cd "$folder" && "$dir/test" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime 500x -test.fuzzminimizetime 50x \
    -test.fuzzcachedir "$dir/corpus" -test.parallel 1 </dev/null)
  printf 'ok  \t%s %s\t%d s\n' "$folder" "$name" "$((SECONDS - start))"
done < <(scripts/fuzz.sh --list)
