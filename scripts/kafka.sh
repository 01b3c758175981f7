#!/usr/bin/env bash
# Apache Kafka for tests, out of Maven's packages: no container, no installation.
#
#   kafka.sh fetch            fetches it into the user's cache, once
#   kafka.sh run [FLAG...]    runs brokers until SIGINT or SIGTERM, and prints where they are;
#                             --help lists the flags: several brokers, TLS, SASL, memory
#
# RTBWIRE_KAFKA names another folder for the packages.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly PACKAGES=internal/kafkatest/pom.xml
version=$(sed -n 's|.*<kafka.version>\(.*\)</kafka.version>.*|\1|p' "$PACKAGES")
folder=${RTBWIRE_KAFKA:-${XDG_CACHE_HOME:-$HOME/.cache}/rtbwire/kafka-$version}

fetch() {
  if compgen -G "$folder/kafka_*.jar" >/dev/null; then return; fi
  need stream
  mkdir -p "$folder"
  local new
  new=$(mktemp -d "$folder.XXXXXX")
  mvn -q -B -f "$PACKAGES" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$new" ||
    { rm -rf "$new"; left_out "Kafka $version can't be fetched; is there a Maven repository?"; }
  rmdir "$folder"
  mv "$new" "$folder"
}

case ${1:-} in
fetch) fetch ;;
run)
  shift
  fetch
  need_go
  mkdir -p bin
  go build -o bin/kafkatest ./internal/kafkatest/kafka
  exec env RTBWIRE_KAFKA="$folder" bin/kafkatest "$@"
  ;;
*) die "usage: kafka.sh fetch | run [FLAG...]" ;;
esac
