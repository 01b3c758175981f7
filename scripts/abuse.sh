#!/usr/bin/env bash
# The end-to-end tests of "rtbwire serve", against hostile clients and upstreams:
#
#   abuse.sh [FLAG...]        the short form
#   abuse.sh full [FLAG...]   everything
#   abuse.sh race [FLAG...]   everything, shorter, with the race detector
#   abuse.sh debug [FLAG...]  cross-talk and reload, with memory overwritten when a request ends
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
export RTBWIRE_ABUSE=1
case $form in
full) RTBWIRE_LONG=1 go test -vet=off -timeout 30m ./gateway/abuse "$@" ;;
race)
  need race
  export CGO_ENABLED=1
  go test -race -vet=off -timeout 60m ./gateway/abuse "$@"
  ;;
debug) go test -tags rtbwiredebug -vet=off -timeout 10m -run 'CrossTalk|Reload' ./gateway/abuse "$@" ;;
*) go test -short -vet=off -timeout 10m ./gateway/abuse "$@" ;;
esac
