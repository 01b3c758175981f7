#!/usr/bin/env bash
# Everything CI runs. Each step is also a make target, named in the heading. All tests run
# in full once; the variants run them with -short.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly BOLD=$'\e[1m' PLAIN=$'\e[0m'

heading() {
  if [[ -t 1 ]]; then
    printf '\n%s== %s ==%s\n' "$BOLD" "$1" "$PLAIN"
  else
    printf '\n== %s ==\n' "$1"
  fi
}

skipped=()

# step NAME COMMAND... runs one step; a failure ends the whole run.
step() {
  local name=$1 start=$SECONDS status=0
  shift
  heading "$name"
  "$@" || status=$?
  case $status in
  0) printf -- '-- %s: %d s\n' "$name" "$((SECONDS - start))" ;;
  "$LEFT_OUT")
    if [[ ${CI:-} == true ]]; then die "make test: step '$name' can not be left out in CI"; fi
    skipped+=("$name")
    ;;
  *) die "make test: step '$name' failed after $((SECONDS - start)) s" ;;
  esac
}

step bootstrap scripts/bootstrap.sh race 386 arm64
step fmt-check scripts/fmt.sh --check
step vet scripts/vet.sh
step lint scripts/lint.sh
step generate-check scripts/generate-check.sh
step unit scripts/unit.sh
step race scripts/race.sh
step cover scripts/cover.sh
step test-tags scripts/test-tags.sh
step test-386 scripts/test-arch.sh 386
step test-arm64 scripts/test-arch.sh arm64
step modules scripts/modules.sh
step cpp scripts/cpp.sh test
step fuzz scripts/fuzz.sh 3000x # that the targets work; make fuzz is what finds something

heading "all steps passed in $SECONDS s"
if ((${#skipped[@]} > 0)); then
  echo "left out on this machine (see 'missing' at the top): ${skipped[*]}"
fi
