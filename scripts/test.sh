#!/usr/bin/env bash
# What a person runs before a commit: build, format, vet and every unit test. It needs Go alone and
# installs nothing.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# build compiles what is imported; programs, which no test needs, would only be linked.
build() {
  local packages
  mapfile -t packages < <(go list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' ./...)
  go build -v "${packages[@]}" 2>&1 | progress "$(go list -deps "${packages[@]}" | wc -l)"
}

need_go
if [[ ${1:-} == build ]]; then # itself, as a step
  build
  exit
fi
echo "build, format, vet and unit tests: four minutes on two cores the first time, half a minute when nothing changed"
step build scripts/test.sh build
step format scripts/fmt.sh --check
# The analyzer of formats reads every dependency, in twice the time of all others: the leg "lint"
# has it.
step vet go vet -printf=false ./...
step unit go test -vet=off ./...
steps_table "make test: all passed"
