#!/usr/bin/env bash
# Measures every library with lab/ and writes a report: bench.sh [quick | full] [FLAG...]. Flags
# go to the lab; "go run . --help" in lab/ explains them. quick takes about three minutes, full
# about an hour. Results of the C++ comparison join the report when there are any: make cpp CPP=bench
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mode=${1:-quick}
(($# == 0)) || shift
need_go
echo "building the lab and the libraries it measures (a minute the first time)"
case $mode in
quick) go -C lab run . --quick "$@" ;;
full) go -C lab run . "$@" ;;
*) die "usage: bench.sh [quick | full] [FLAG...]" ;;
esac
