#!/usr/bin/env bash
# The end-to-end tests of "rtbwire serve", against hostile clients and upstreams:
#
#   e2e.sh [FLAG...]        the short form
#   e2e.sh full [FLAG...]   everything
#   e2e.sh race [FLAG...]   everything, shorter, with the race detector
#   e2e.sh debug [FLAG...]  cross-talk and reload, with memory overwritten when a request ends
#
# FLAGs are those of go test, such as -run Framing -v.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

form=
case ${1:-} in full | race | debug)
  form=$1
  shift
  ;;
esac
need_go
export RTBWIRE_E2E=1
case $form in
full) RTBWIRE_LONG=1 go test -vet=off -timeout 30m ./internal/e2e/http "$@" ;;
race)
  need race
  export CGO_ENABLED=1
  go test -race -vet=off -timeout 60m ./internal/e2e/http "$@"
  ;;
debug) go test -tags rtbwiredebug -vet=off -timeout 10m -run 'CrossTalk|Reload' ./internal/e2e/http "$@" ;;
*) go test -short -vet=off -timeout 10m ./internal/e2e/http "$@" ;;
esac
