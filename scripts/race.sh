#!/usr/bin/env bash
# Tests under the race detector: race.sh [all].
# The detector makes tests 5 to 10 times slower and only sees what goroutines share. So the tests of
# packages that start goroutines run, and elsewhere those tests that start some; "all" runs the rest
# too, since the detector's build also checks every unsafe pointer.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly STARTS='(^|[[:space:]])go (func|[a-z][A-Za-z.]*\()|\.Go\('

# tests_with_goroutines FILE... prints the names of the tests that start goroutines. Where a helper
# does, every test of its file counts.
tests_with_goroutines() {
  awk -v starts="$STARTS" '
    FNR == 1 { flush() }
    /^func / {
      name = $2
      sub(/\(.*/, "", name)
      if (name ~ /^Test[A-Z]/) tests[name]
    }
    $0 !~ /^[[:space:]]*\/\// && $0 ~ starts { if (name ~ /^Test[A-Z]/) found[name]; else helper = 1 }
    function flush(t) {
      for (t in tests) if (helper || t in found) print t
      delete tests; delete found; helper = 0; name = ""
    }
    END { flush() }' "$@"
}

need_go
need race
export CGO_ENABLED=1
if [[ ${1:-} == all ]]; then exec go test -race -short -vet=off ./...; fi

whole=()
while IFS=$'\t' read -r package dir sources tests; do
  # shellcheck disable=SC2086 # file names of Go packages have no spaces
  if [[ -n $sources ]] && (cd "$dir" && grep -qE "$STARTS" $sources); then
    whole+=("$package")
  elif [[ -n ${tests// /} ]]; then
    # shellcheck disable=SC2086
    names=$(cd "$dir" && tests_with_goroutines $tests | paste -sd '|')
    [[ -z $names ]] || go test -race -short -vet=off -run "^($names)\$" "$package"
  fi
done < <(go list -f '{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{join .GoFiles " "}}{{"\t"}}{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' ./...)
go test -race -short -vet=off "${whole[@]}"
