#!/usr/bin/env bash
# Tests the gateway's page for operators in a headless Chromium, against the real program:
#
#   browser.sh [FLAG...]   the tests, with flags of go test
#   browser.sh screenshot  writes the picture in docs/
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need browser
need_go
export RTBWIRE_BROWSER=1
if [[ ${1:-} == screenshot ]]; then
  RTBWIRE_SCREENSHOT=$PWD/docs/gateway.webp go -C internal/serving/admin/browser test -count 1 -run TestScreenshot -v .
  exit
fi
go -C internal/serving/admin/browser test -count 1 -timeout 20m "$@" .
