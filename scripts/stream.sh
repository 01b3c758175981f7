#!/usr/bin/env bash
# The end-to-end tests of "rtbwire stream", on real Kafka brokers:
#
#   stream.sh [FLAG...]        the short form, in about a minute: what is asked for most
#   stream.sh full [FLAG...]   everything
#   stream.sh race [FLAG...]   everything, shorter, with the race detector
#   stream.sh kit [FLAG...]    only the kit that starts the brokers
#
# FLAGs are those of go test, such as -run Kill -v.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly SHORT='EndToEnd|TestKill|TestTerm$|UpstreamDown|AlwaysFail'

form=
case ${1:-} in full | race | kit)
  form=$1
  shift
  ;;
esac
need_go
need stream
scripts/kafka.sh fetch
export RTBWIRE_KAFKATEST=1
case $form in
full) RTBWIRE_LONG=1 go test -vet=off -timeout 60m ./internal/kafkatest ./internal/e2e/kafka "$@" ;;
race)
  need race
  export CGO_ENABLED=1
  go test -race -short -vet=off -timeout 60m ./internal/e2e/kafka "$@"
  ;;
kit) go test -vet=off -timeout 10m ./internal/kafkatest "$@" ;;
*) go test -short -vet=off -timeout 20m -run "$SHORT" ./internal/e2e/kafka "$@" ;;
esac
