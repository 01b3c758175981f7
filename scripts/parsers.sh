#!/usr/bin/env bash
# Compares what rtbwire reads in the documents that it forwards with what other JSON parsers read
# (internal/e2e/parsers). It builds their readers and fetches what has no Debian package, once:
#
#   parsers.sh [FLAG...]   flags are those of go test; DOCUMENTS=1000 for fewer documents
#
# RTBWIRE_READERS names another folder for the readers than one in the user's cache.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly SOURCE=internal/e2e/parsers/readers
readonly YYJSON=4.0.6 # of the Python package, whose source has the C library
readonly YYJSON_SUM=fcd4dc15c1e39a30bf9fa85d56903029111506860fc3080ab0d81c6c6dacaa8c
readonly JSONV2_DOCUMENTS=20000

export RTBWIRE_READERS=${RTBWIRE_READERS:-${XDG_CACHE_HOME:-$HOME/.cache}/rtbwire/readers}
export RTBWIRE_DOCUMENTS=${DOCUMENTS:-100000}

# fetch_yyjson gets the source of yyjson from PyPI, where Debian has no package of it.
fetch_yyjson() {
  if [[ -e $RTBWIRE_READERS/yyjson-$YYJSON/yyjson.c ]]; then return; fi
  local new
  new=$(mktemp -d "$RTBWIRE_READERS/yyjson.XXXXXX")
  pypi_source yyjson "$YYJSON" "$YYJSON_SUM" "$new" ||
    { rm -rf "$new"; left_out "pip can't download yyjson $YYJSON; is there a package index?"; }
  rm -rf "$RTBWIRE_READERS/yyjson-$YYJSON"
  mv "$new/yyjson" "$RTBWIRE_READERS/yyjson-$YYJSON"
  rm -rf "$new"
}

# build_jackson compiles the reader in Java, beside the packages of Maven.
build_jackson() {
  local folder=$RTBWIRE_READERS/jackson
  if ! compgen -G "$folder/jackson-databind-*.jar" >/dev/null; then
    mkdir -p "$folder"
    mvn -q -B -f "$SOURCE/jackson/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$folder" ||
      left_out "Jackson can't be fetched; is there a Maven repository?"
  fi
  javac -cp "$folder/*" -d "$folder" "$SOURCE/jackson/ReadJackson.java"
}

need parsers
need_go
mkdir -p "$RTBWIRE_READERS"
options=()
if ! printf '#include <yyjson.h>\n' | c++ -x c++ -fsyntax-only - 2>/dev/null; then
  fetch_yyjson
  options+=(-DRTBWIRE_YYJSON_SOURCE="$RTBWIRE_READERS/yyjson-$YYJSON")
fi
# Afresh: the folder is shared by all checkouts, and CMake knows it by the path of one.
cmake --fresh -S "$SOURCE" -B "$RTBWIRE_READERS/cpp" -G Ninja "${options[@]}" >/dev/null
cmake --build "$RTBWIRE_READERS/cpp"
build_jackson
go test -vet=off -count 1 -timeout 0 -v "$@" ./internal/e2e/parsers
# encoding/json/v2, and encoding/json on top of it. The other readers would be the same.
RTBWIRE_READERS='' RTBWIRE_DOCUMENTS=$((RTBWIRE_DOCUMENTS < JSONV2_DOCUMENTS ? RTBWIRE_DOCUMENTS : JSONV2_DOCUMENTS)) \
  GOEXPERIMENT=jsonv2 go test -vet=off -count 1 -timeout 0 "$@" ./internal/e2e/parsers
