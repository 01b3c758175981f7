#!/usr/bin/env bash
# Installs with apt what legs of "make ci" and "make verify" need besides Go: setup.sh [PART...].
# A part is the name of a leg (race, cpp-python) or of a list: ci, the default, or verify.
#   setup.sh --missing PART... only prints the Debian packages that are missing, one a line
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# compiles_c says whether the race detector can link: a compiler alone is not enough, Debian's
# gcc comes without the C library's headers.
compiles_c() {
  local cc
  cc=$(go env CC)
  command -v "${cc%% *}" >/dev/null &&
    printf '#include <stdlib.h>\nint main(void) { return 0; }\n' |
    $cc -x c -o /dev/null - 2>/dev/null
}

# have HEADER: the C++ compiler finds it.
have() {
  printf '#include <%s>\n' "$1" | c++ -x c++ -std=c++20 -fsyntax-only - 2>/dev/null
}

program() { command -v "$1" >/dev/null || echo "${2:-$1}"; }

# library NAME PACKAGE...: the dynamic linker finds it; the packages are named for several releases.
library() {
  [[ $(/sbin/ldconfig -p 2>/dev/null) == *[[:space:]]"$1".so.* ]] || printf '%s\n' "${@:2}"
}

cpp_compiler() {
  program c++ g++
  program cmake
  program ninja ninja-build
}

# required PART prints the Debian packages that the part lacks. A leg that needs Go alone is not
# listed.
required() {
  case $1 in
  ci) missing race 386 arm64 lint cpp docs ;;
  verify) missing ci cpp-arm64 cpp-fuzz cpp-install cpp-python cpp-core avx512 deploy dist browser stream parsers ;;
  race | race-all | e2e-race) compiles_c || printf 'gcc\nlibc6-dev\n' ;;
  386 | 386-all) runner_for 386 >/dev/null || echo qemu-user ;;
  arm64 | arm64-all) runner_for arm64 >/dev/null || echo qemu-user ;;
  lint) program shellcheck ;;
  cpp | cpp-release | cpp-asan | cpp-tsan | cpp-payload | docs)
    cpp_compiler
    program python3
    have gtest/gtest.h || echo libgtest-dev
    ;;
  bench-gateway)
    program nginx
    program haproxy
    program taskset util-linux
    ;;
  cpp-bench)
    cpp_compiler
    program python3
    ;;
  cpp-arm64)
    cpp_compiler
    program aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
    program qemu-aarch64 qemu-user
    [[ -e /usr/src/googletest/CMakeLists.txt ]] || echo googletest
    ;;
  cpp-core)
    cpp_compiler
    program pkg-config
    have simdjson.h || echo libsimdjson-dev
    have httplib.h || echo libcpp-httplib-dev
    ;;
  cpp-install)
    cpp_compiler
    program pkg-config
    ;;
  cpp-python)
    local python=${RTBWIRE_PYTHON:-python3}
    cpp_compiler
    "$python" -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    "$python" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
      echo python3-dev
    ;;
  cpp-fuzz)
    cpp_compiler
    command -v clang++-19 >/dev/null || printf 'clang-19\nlibclang-rt-19-dev\n'
    ;;
  engines)
    program java default-jre-headless
    python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    ;;
  browser | screenshot) program chromium ;;
  stream | stream-short | stream-race)
    program java default-jre-headless
    program mvn maven
    [[ $1 != stream-race ]] || missing race
    ;;
  parsers)
    cpp_compiler
    have simdjson.h || echo libsimdjson-dev
    have rapidjson/document.h || echo rapidjson-dev
    have nlohmann/json.hpp || echo nlohmann-json3-dev
    program javac default-jdk-headless
    program mvn maven
    program node nodejs
    program python3
    have yyjson.h || python3 -m pip --version >/dev/null 2>&1 || echo python3-pip # for its source
    ;;
  deploy)
    program systemd-analyze systemd
    program buildah
    program file
    python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    ;;
  dist)
    program buildah
    program mandoc
    program man man-db
    program zsh
    program fish
    python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    ;;
  avx512)
    program bochs-bin bochs
    [[ -f /usr/share/bochs/BIOS-bochs-latest ]] || echo bochsbios
    compgen -G '/usr/lib/*/bochs/plugins/libbx_term_gui.so' >/dev/null || echo bochs-term
    [[ -x /bin/busybox ]] && ! ldd /bin/busybox >/dev/null 2>&1 || echo busybox-static
    program cpio
    program xorriso
    program script bsdutils
    [[ -f /usr/lib/ISOLINUX/isolinux.bin ]] || echo isolinux
    [[ -f /usr/lib/syslinux/modules/bios/ldlinux.c32 ]] || echo syslinux-common
    ;;
  *) # a leg that is not listed needs Go alone
    grep -q "^[a-z]* $1 " scripts/legs.txt || die "setup.sh: no part named '$1'"
    ;;
  esac
}

missing() {
  local part
  for part in "$@"; do required "$part"; done | sort -u
}

# optional PART prints packages that make a part test or measure more, where there are such
# packages: not every release and platform has them.
optional() {
  case $1 in
  ci | verify | cpp | cpp-release | cpp-asan | cpp-tsan | cpp-install | docs) # docs has a command that needs it
    program pkg-config
    pkg-config --exists libhs 2>/dev/null || echo libvectorscan-dev
    ;;
  esac
  case $1 in
  ci | verify | cpp | cpp-release | cpp-bench) # what strict mode has to agree with
    have simdjson.h || echo libsimdjson-dev
    have rapidjson/document.h || echo rapidjson-dev
    ;;
  esac
  case $1 in
  cpp-bench)
    have nlohmann/json.hpp || echo nlohmann-json3-dev
    have yyjson.h || echo libyyjson-dev
    have boost/json/src.hpp || printf '%s\n' libboost-json1.83-dev libboost-json1.81-dev
    have benchmark/benchmark.h || echo libbenchmark-dev # for the program that the lab measures
    library libjemalloc libjemalloc2
    library libmimalloc libmimalloc2.0 libmimalloc3
    library libtcmalloc_minimal libtcmalloc-minimal4 libtcmalloc-minimal4t64
    ;;
  esac
  case $1 in
  verify | parsers) have yyjson.h || echo libyyjson-dev ;;
  esac
}

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null >/dev/null
}

need_go
if [[ ${1:-} == --missing ]]; then
  shift
  missing "$@"
  exit
fi
if (($# == 0)); then set -- ci; fi

mapfile -t packages < <(missing "$@")
mapfile -t extra < <(for part in "$@"; do optional "$part"; done | sort -u)
if ((${#packages[@]} + ${#extra[@]} == 0)); then
  echo "nothing to install for: $*"
  exit
fi
echo "to install for $*: ${packages[*]} ${extra[*]}"
if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
  ((${#packages[@]} == 0)) || die "that takes root and apt"
  exit 0 # tests do less without the others, but they run
fi
apt update
for package in "${extra[@]}"; do
  if [[ -n $(apt-cache madison "$package") ]]; then
    packages+=("$package")
  else
    echo "no package $package here: what needs it is left out"
  fi
done
if ((${#packages[@]} > 0)); then apt install --no-install-recommends "${packages[@]}"; fi
mapfile -t packages < <(missing "$@")
((${#packages[@]} == 0)) || die "still missing: ${packages[*]}"
