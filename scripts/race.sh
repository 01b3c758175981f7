#!/usr/bin/env bash
# Tests under the race detector: race.sh [all].
# The detector makes tests 5 to 10 times slower and only sees what goroutines share. So the tests of
# packages that start goroutines run, and elsewhere those tests that start some; "all" runs the rest
# too, since the detector's build also checks every unsafe pointer.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly STARTS='(^|[[:space:]])go (func|[a-z][A-Za-z.]*\()|\.Go\('

# Left to "all", besides what starts no goroutines: tests that do nothing without a broker or
# RTBWIRE_E2E, and the comparisons of front ends, whose own tests run here, and of parsers.
readonly LATER='/internal/(kafkatest|e2e/(http|kafka|agreement|parsers))$'

# The tests of the program run it as a process, once for each flag and file. These two have all that
# its goroutines share: load, reloads, the port of administration and the end.
readonly PROGRAM='TestServe TestStream'

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

# Packages of which some tests run go together: a name that several of them have runs in each.
whole=() some=() names=()
while IFS=$'\t' read -r package dir sources tests; do
  if [[ $package =~ $LATER || -z ${tests// /} ]]; then continue; fi
  if [[ $package == */cmd/rtbwire ]]; then
    for name in $PROGRAM; do
      (cd "$dir" && grep -qh "^func $name(" ./*_test.go) || die "race.sh: $package has no $name"
    done
    some+=("$package")
    # shellcheck disable=SC2206 # names of tests have no spaces
    names+=($PROGRAM)
    continue
  fi
  # shellcheck disable=SC2086 # file names of Go packages have no spaces
  if [[ -n $sources ]] && (cd "$dir" && grep -qE "$STARTS" $sources); then
    whole+=("$package")
    continue
  fi
  # shellcheck disable=SC2086
  mapfile -t found < <(cd "$dir" && tests_with_goroutines $tests)
  if ((${#found[@]} > 0)); then
    some+=("$package")
    names+=("${found[@]}")
  fi
done < <(go list -f '{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{join .GoFiles " "}}{{"\t"}}{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' ./...)
go test -race -short -vet=off -run "^($(
  IFS='|'
  echo "${names[*]}"
))\$" "${some[@]}"
go test -race -short -vet=off "${whole[@]}"
