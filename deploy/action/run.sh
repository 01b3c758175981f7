#!/usr/bin/env bash
# What action.yml runs: test cases, then files. Both run, and the status is the worse of the two.
# The variables are the inputs of the action.
set -euo pipefail
shopt -s globstar nullglob

die() {
  printf '::error::%s\n' "$*"
  exit 2
}

# matching INPUT PATTERNS sets the list files to those that the lines match. A pattern that matches
# nothing is a mistake: nothing would be tested.
matching() {
  local pattern found IFS= # a name may have spaces
  files=()
  while IFS= read -r pattern; do
    if [[ -z $pattern ]]; then continue; fi
    # shellcheck disable=SC2206 # it is a pattern
    found=($pattern)
    ((${#found[@]} > 0)) || die "$1: no file matches $pattern"
    files+=("${found[@]}")
  done <<<"$2"
}

[[ -n $INPUT_CONFIG$INPUT_CHECK ]] || die "nothing to do: give the inputs config and cases, or check"
[[ -z $INPUT_CONFIG && -z $INPUT_CASES || -n $INPUT_CONFIG && -n $INPUT_CASES ]] || die "config and cases go together"
status=0
if [[ -n $INPUT_CONFIG ]]; then
  matching cases "$INPUT_CASES"
  rtbwire policy test -- "$INPUT_CONFIG" "${files[@]}" || status=$?
  if [[ -n $INPUT_JUNIT ]]; then
    rtbwire policy test --format junit -- "$INPUT_CONFIG" "${files[@]}" >"$INPUT_JUNIT" || true # the status is that of the text
  fi
fi
if [[ -n $INPUT_CHECK ]]; then
  matching check "$INPUT_CHECK"
  read -ra words <<<"$INPUT_CHECK_FLAGS"
  worse=0
  rtbwire check --summary "${words[@]}" -- "${files[@]}" || worse=$?
  if [[ -n $INPUT_SARIF ]]; then
    rtbwire check "${words[@]}" --format sarif --output "$INPUT_SARIF" -- "${files[@]}" || true
  fi
  status=$((worse > status ? worse : status))
fi
exit "$status"
