# shellcheck shell=bash
# Sourced by test.sh and cover.sh: packages and the least percentage of statements that their own
# tests have to reach. A wrong verdict or a wrong decode is what users would notice last.
# shellcheck disable=SC2034
readonly GATES='./internal/serving/guard 90
./inspect 90
./inspect/fraud 95
./inspect/geoip 90
./inspect/lists 90
./inspect/payload 90
./inspect/policy 90
./internal/filewatch 90
./inspect/schema 90
./inspect/scrub 90
./inspect/supply 90
./internal/useragent 90
./inspect/vendor 90
./inspect/window 90
./config 90
./openrtb 90
./internal/traffic/simulate 90
./internal/traffic/simulate/judge 90'
