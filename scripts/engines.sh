#!/usr/bin/env bash
# Runs examples/duckdb, examples/clickhouse and examples/spark on the real engines, and compares
# what they read with what rtbwire check says:
#
#   engines.sh          counts and columns; the time of Spark's pipe through filter and through cat
#   engines.sh --long   the same on more data, and ten million lines through filter
#
# The engines come from PyPI into a virtual environment outside of the tree, once: a gigabyte.
# ENGINES names another folder for it. Spark needs Java 17 or newer.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly ENGINES=${ENGINES:-${XDG_CACHE_HOME:-$HOME/.cache}/rtbwire/engines}
readonly PACKAGES=(duckdb==2.0.0 chdb==4.4.0 pyarrow==26.0.1 pyspark==4.3.0)
readonly JAVA_MIN=17

mode=${1:-}
case $mode in
'') requests=20000 lines=400000 rounds=5 ;;
--long) requests=200000 lines=2000000 rounds=9 ;;
*) die "usage: engines.sh [--long]" ;;
esac

need engines
need_go
java=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
((java >= JAVA_MIN)) || left_out "Spark needs Java $JAVA_MIN or newer, found ${java:-none}"
if [[ $(cat "$ENGINES/packages" 2>/dev/null) != "${PACKAGES[*]}" ]]; then
  echo "installing ${PACKAGES[*]} into $ENGINES"
  rm -rf "$ENGINES"
  mkdir -p "$ENGINES"
  python3 -m venv "$ENGINES"
  "$ENGINES/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "${PACKAGES[@]}" ||
    left_out "pip can't install the engines; is there a package index?"
  echo "${PACKAGES[*]}" >"$ENGINES/packages"
fi

scripts/build.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
PATH=$PWD/bin:$PATH PYTHONDONTWRITEBYTECODE=1 "$ENGINES/bin/python" examples/engines_test.py \
  --folder "$dir" --requests "$requests" --lines "$lines" --rounds "$rounds"
if [[ $mode == --long ]]; then
  echo "== ten million lines through filter"
  RTBWIRE_LONG=1 go test -count 1 -timeout 30m -v -run 'TestFilter' ./cmd/rtbwire
fi
