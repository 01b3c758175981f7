#!/usr/bin/env bash
# Decodes documents made at random and compares with encoding/json: differential.sh [-l LOG]
# [COUNT] [SEED]. COUNT is 100000000 unless given. With -l the run can be ended at any time: it
# goes on, when it is started again with the same LOG and SEED, where it was, and another COUNT
# only adds to it. Without an unexplained difference it ends with the count of every class.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

log=''
while getopts l: option; do
  case $option in
  l) log=$(realpath -m "$OPTARG") ;;
  *) die "usage: differential.sh [-l LOG] [COUNT] [SEED]" ;;
  esac
done
shift $((OPTIND - 1))

need_go
# Garbage is most of what encoding/json costs; memory is cheaper here.
GOGC=400 RTBWIRE_DIFFERENTIAL=${1:-100000000} RTBWIRE_SEED=${2:-1} RTBWIRE_DIFFERENTIAL_LOG=$log \
  go test ./internal/conformance -run '^TestDifferential$' -count 1 -timeout 0 -v
