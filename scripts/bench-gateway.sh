#!/usr/bin/env bash
# Measures the gateway beside a bare proxy, nginx, HAProxy, httputil.ReverseProxy and handlers of
# net/http: bench-gateway.sh [FLAG...]. Flags go to the lab: --quick is a first look in under three
# minutes; --only cost,memory measures some parts again; --only capacity and --only soak take longer
# (--hold, --soak say how long). "go run . gateway --help" in lab/ explains them.
# Results go to lab/results/gateway.json, those of --quick elsewhere; a page with them is beside it.
# "cd lab && go run . gateway page" and "... readme" publish them.
# nginx and HAProxy are left out where they are not installed: make setup ARGS=bench-gateway
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_go
missing=$(scripts/setup.sh --missing bench-gateway)
[[ -z $missing ]] || echo "not installed: ${missing//$'\n'/ } (make setup ARGS=bench-gateway)" >&2
go -C lab run . gateway "$@"
