#!/usr/bin/env bash
# Measures "rtbwire stream" beside a bare copy loop with franz-go, on a real broker: bench-stream.sh
# [FLAG...]. Flags go to the lab: --quick is a first look in two minutes. "go run . stream --help"
# in lab/ explains them. The broker needs Java 17 and, once, Maven.
# Results go to lab/results/stream.json, those of --quick elsewhere; a page with them is beside it.
# "cd lab && go run . stream page" and "... readme" publish them; "go run . scale page" makes
# docs/scale.md of them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
scripts/kafka.sh fetch
go -C lab run . stream "$@"
