#!/usr/bin/env bash
# What each technique of two decoders is worth, by changing it: ablation.sh [FLAG...]. Flags go to
# the lab; "go run . ablation --help" in lab/ explains them. Takes five to twenty minutes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
go -C lab run . ablation "$@"
