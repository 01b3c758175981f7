#!/usr/bin/env bash
# Gets the C++ libraries of the comparison that Debian 12 has no package of, or an old one, from
# packages that carry their sources: rivals.sh prints the folder, and to standard error what it
# could not get, and why. Boost.JSON is a package of Debian: make setup ARGS=cpp-bench.
#
# RTBWIRE_RIVALS names another folder than one in the user's cache.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly RIVALS=${RTBWIRE_RIVALS:-${XDG_CACHE_HOME:-$HOME/.cache}/rtbwire/rivals}

# take NAME VERSION FROM FUNCTION ARGUMENT... fills RIVALS/NAME by a function that is given a folder
# to fill, once for each FROM.
take() {
  local name=$1 version=$2 from=$3 new
  shift 3
  if [[ $(cat "$RIVALS/$name/from" 2>/dev/null) == "$from" ]]; then return; fi
  new=$(mktemp -d "$RIVALS/new.XXXXXX")
  if "$@" "$new"; then
    echo "$from" >"$new/from"
    rm -rf "${RIVALS:?}/$name"
    mv "$new" "$RIVALS/$name"
  else
    rm -rf "$new"
    echo "not measured: $name $version: $from can't be downloaded; is there a package registry?" >&2
  fi
}

# from_pypi NAME VERSION SHA256 PATH FOLDER copies what a source distribution has under a path.
from_pypi() {
  local unpacked status=0
  unpacked=$(mktemp -d)
  pypi_source "$1" "$2" "$3" "$unpacked" && cp -R "$unpacked/$4/." "$5" || status=1
  rm -rf "$unpacked"
  return "$status"
}

# from_crates NAME VERSION SHA256 PATH FOLDER does the same with a package for Rust. What cargo says
# about a package, it reads in the package.
from_crates() {
  local home status=0
  command -v cargo >/dev/null || return 1
  home=$(mktemp -d)
  CARGO_HOME=$home cargo info --quiet "$1@$2" >/dev/null 2>&1 &&
    sha256sum --quiet --check <<<"$3  $(echo "$home"/registry/cache/*/"$1-$2.crate")" &&
    tar -xf "$home"/registry/cache/*/"$1-$2.crate" -C "$home" &&
    cp -R "$home/$1-$2/$4/." "$5" || status=1
  rm -rf "$home"
  return "$status"
}

mkdir -p "$RIVALS"
take simdjson 5.0.2 'fastsimdjson 0.8.0 of PyPI' from_pypi fastsimdjson 0.8.0 \
  df415e19cec497fc495ead9ee82b9527ff0335dde2fa54eeb6f6a7a60a7b11f6 vendor
take nlohmann 3.12.0 'llama-cpp-sys-2 0.1.161, a package for Rust' from_crates llama-cpp-sys-2 0.1.161 \
  e9bea77fde41bbc15a278891cd5edd2ba07c5260d162614b41080ba1f100b39b llama.cpp/vendor
take jsoncons 1.3.2 'pybind11-jsoncons 0.1.2 of PyPI' from_pypi pybind11-jsoncons 0.1.2 \
  f75b03940ff53935464b08d2500933fced5de43eaf587fde4e5257bf942a2437 src/include
take yyjson 0.10.0 'yyjson 4.0.6 of PyPI' from_pypi yyjson 4.0.6 \
  fcd4dc15c1e39a30bf9fa85d56903029111506860fc3080ab0d81c6c6dacaa8c yyjson
echo "$RIVALS"
