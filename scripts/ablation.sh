#!/usr/bin/env bash
# What each technique of the decoder is worth, by leaving it out: ablation.sh [FLAG...]. Flags go to
# the lab; "go run . ablation --help" in lab/ explains them. Takes two to ten minutes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
go -C lab run . ablation "$@"
