#!/usr/bin/env bash
# Builds this project in each way that the README lists, and checks its output:
#   check.sh LIBRARY_BUILD SCRATCH
# LIBRARY_BUILD is a build folder of the library with the tool. Output goes to SCRATCH.
# Installs, builds against the installation, moves it, and builds against it again.
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../../.." && pwd)
readonly HERE ROOT
readonly LIBRARY=$1 SCRATCH=$2
readonly JOBS=${RTBWIRE_CPP_JOBS:-2}
readonly EXPECTED='malicious: xss.script-tag at byte 7, /a/0'

# says PROGRAM... checks that each prints the expected line.
says() {
  local program said
  for program in "$@"; do
    said=$("$program")
    if [[ $said != "$EXPECTED" ]]; then
      printf '%s printed "%s", want "%s"\n' "$program" "$said" "$EXPECTED" >&2
      exit 1
    fi
  done
}

# with_cmake NAME OPTION... builds with CMake, in a folder of that name.
with_cmake() {
  local folder=$SCRATCH/build/$1
  shift
  cmake -G Ninja -S "$HERE" -B "$folder" -DCMAKE_BUILD_TYPE=Release "$@" >/dev/null
  cmake --build "$folder" -j "$JOBS" -- --quiet
  says "$folder/consumer_cpp" "$folder/consumer_c"
  if [[ -x $folder/consumer_vectorscan ]]; then says "$folder/consumer_vectorscan"; fi
}

# with_pkg_config NAME PREFIX builds with pkg-config and the compilers alone.
with_pkg_config() {
  local folder=$SCRATCH/build/$1 flags
  local -x PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$(find "$2" -name rtbwire_scan.pc)")
  mkdir -p "$folder"
  read -ra flags < <(pkg-config --cflags --libs --static rtbwire_scan)
  cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$HERE/main.c" "${flags[@]}" -o "$folder/consumer_c"
  read -ra flags < <(pkg-config --cflags --libs rtbwire_scan)
  c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror "$HERE/main.cpp" "${flags[@]}" \
    -o "$folder/consumer_cpp"
  says "$folder/consumer_cpp" "$folder/consumer_c"
  if ((VECTORSCAN)); then
    read -ra flags < <(pkg-config --cflags --libs rtbwire_scan_vectorscan)
    c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror "$HERE/vectorscan.cpp" "${flags[@]}" \
      -o "$folder/consumer_vectorscan"
    says "$folder/consumer_vectorscan"
  fi
}

# CMake reports a backend that was not installed.
misses_the_backend() {
  local said
  said=$(cmake -G Ninja -S "$HERE" -B "$SCRATCH/build/missing" -DCMAKE_PREFIX_PATH="$1" \
    -DWITH_VECTORSCAN=ON 2>&1) &&
    { echo "found a backend that is not installed" >&2; exit 1; }
  [[ $said == *"installed without its"*Vectorscan* ]] || { printf '%s\n' "$said" >&2; exit 1; }
}

# with_prefix NAME PREFIX checks everything that an installation offers.
with_prefix() {
  local file
  for file in bin/rtbwire-scan share/man/man1/rtbwire-scan.1 include/rtbwire/scan.h \
    include/rtbwire/scan.hpp; do
    [[ -f $2/$file ]] || { echo "not installed: $file" >&2; exit 1; }
  done
  "$2/bin/rtbwire-scan" --version >/dev/null
  # No file may contain the build folder or the first prefix.
  if grep -rIlF -e "$SCRATCH" -e "$LIBRARY" -e "$ROOT" "$2" >&2; then
    echo "installed files contain folders of the build machine" >&2
    exit 1
  fi
  with_cmake "find_package-$1" -DCMAKE_PREFIX_PATH="$2"
  echo "find_package, $1 prefix: C++ and C"
  if ((VECTORSCAN)); then
    with_cmake "vectorscan-$1" -DCMAKE_PREFIX_PATH="$2" -DWITH_VECTORSCAN=ON
    echo "find_package, $1 prefix: the Vectorscan backend"
  else
    misses_the_backend "$2"
  fi
  with_pkg_config "pkg-config-$1" "$2"
  echo "pkg-config, $1 prefix: C++ and C"
}

# Before 1.0 another minor version is incompatible.
refuses_other_versions() {
  local version
  for version in 0.0 0.2 1.0; do
    mkdir -p "$SCRATCH/version"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.21)' 'project(version NONE)' \
      "find_package(rtbwire_scan $version QUIET)" \
      'if(rtbwire_scan_FOUND)' 'message(FATAL_ERROR found)' 'endif()' >"$SCRATCH/version/CMakeLists.txt"
    cmake -S "$SCRATCH/version" -B "$SCRATCH/version/build" -DCMAKE_PREFIX_PATH="$1" >/dev/null
  done
}

mkdir -p "$SCRATCH"
# Checks the library with the backend, or without it, as it was built.
VECTORSCAN=0
if [[ -f $LIBRARY/vectorscan/librtbwire_scan_vectorscan.a ]]; then VECTORSCAN=1; fi
readonly VECTORSCAN
rm -rf "${SCRATCH:?}"/{first,moved,build,version}
cmake --install "$LIBRARY" --prefix "$SCRATCH/first" >/dev/null
with_prefix first "$SCRATCH/first"
refuses_other_versions "$SCRATCH/first"
mv "$SCRATCH/first" "$SCRATCH/moved"
with_prefix moved "$SCRATCH/moved"
with_cmake add_subdirectory -DRTBWIRE_BY=add_subdirectory -DRTBWIRE_ROOT="$ROOT"
echo "add_subdirectory: C++ and C"
if ((VECTORSCAN)); then
  with_cmake add_subdirectory_vectorscan -DRTBWIRE_BY=add_subdirectory -DRTBWIRE_ROOT="$ROOT" \
    -DWITH_VECTORSCAN=ON
  echo "add_subdirectory: the Vectorscan backend"
fi
with_cmake FetchContent -DRTBWIRE_BY=FetchContent -DRTBWIRE_ROOT="$ROOT"
echo "FetchContent: C++ and C"
