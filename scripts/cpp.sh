#!/usr/bin/env bash
# Builds the C++ packet scanner and runs its tests:
#   cpp.sh [test | asan | tsan | arm64 | install | python | bench [FILE] | fuzz [SECONDS]]
# cpp.sh arm64 cross-compiles the library and runs its tests under qemu-user.
# cpp.sh install installs it into a scratch folder and builds a project with it in each way that users have.
# cpp.sh python builds the Python package from its source distribution, in a virtual environment, and tests it;
# RTBWIRE_PYTHON names another interpreter than python3.
# cpp.sh generate makes its table of patterns again from testdata/payload/patterns.json.
# As root it installs what is missing with apt; otherwise it names the command. The build
# goes to cpp/build/, or to the folder named by RTBWIRE_CPP_BUILD.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly BUILD=${RTBWIRE_CPP_BUILD:-$PWD/cpp/build}
readonly JOBS=${RTBWIRE_CPP_JOBS:-2}
readonly PYTHON=${RTBWIRE_PYTHON:-python3}

# have HEADER: the C++ compiler finds it.
have() {
  printf '#include <%s>\n' "$1" | c++ -x c++ -std=c++20 -fsyntax-only - 2>/dev/null
}

# missing MODE prints the Debian packages that it still needs.
missing() {
  command -v c++ >/dev/null || echo g++
  command -v cmake >/dev/null || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  case $1 in
  test | static | asan | tsan) have gtest/gtest.h || echo libgtest-dev ;;
  bench) have benchmark/benchmark.h || echo libbenchmark-dev ;;
  arm64)
    command -v aarch64-linux-gnu-g++ >/dev/null || echo g++-aarch64-linux-gnu
    command -v qemu-aarch64 >/dev/null || echo qemu-user
    [[ -e /usr/src/googletest/CMakeLists.txt ]] || echo googletest
    ;;
  install) command -v pkg-config >/dev/null || echo pkg-config ;;
  python)
    "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    "$PYTHON" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
      echo python3-dev
    ;;
  fuzz) command -v clang++-19 >/dev/null || printf 'clang-19\nlibclang-rt-19-dev\n' ;;
  esac
}

# Rivals of the benchmark: a row is left out where its package is not to be had.
rivals() {
  have nlohmann/json.hpp || echo nlohmann-json3-dev
  have simdjson.h || echo libsimdjson-dev
  have rapidjson/document.h || echo rapidjson-dev
  have yyjson.h || echo libyyjson-dev
}

# The optional backend, for tests and benchmark: left out where its packages are not to be had.
backend() {
  command -v pkg-config >/dev/null || echo pkg-config
  pkg-config --exists libhs 2>/dev/null || echo libvectorscan-dev
}

bootstrap() {
  local package
  wanted=() # set by install_missing
  install_missing missing "$1"
  if ((${#wanted[@]} > 0)); then
    left_out "the C++ part needs ${wanted[*]} (sudo apt-get install -y ${wanted[*]})"
  fi
  if [[ $1 == bench ]] && can_install; then
    for package in $(rivals); do apt_install "$package" || echo "no package $package: not measured"; done
  fi
  case $1 in
  test | asan | tsan | bench | install)
    if can_install; then
      for package in $(backend); do apt_install "$package" || echo "no package $package: no Vectorscan"; done
    fi
    ;;
  esac
}

# build PRESET OPTION... configures and compiles.
build() {
  local preset=$1
  shift
  (cd cpp && cmake --preset "$preset" -B "$BUILD/$preset" "$@" >/dev/null)
  cmake --build "$BUILD/$preset" -j "$JOBS" -- --quiet
}

run_tests() { ctest --test-dir "$BUILD/$1" -j "$JOBS" --output-on-failure --progress; }

# python_tests builds the source distribution, installs that, and tests what is installed: a
# file that the distribution lacks shows here.
python_tests() {
  local venv=$BUILD/python/venv dist=$BUILD/python/dist
  "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 9))' ||
    left_out "the Python package needs Python 3.9 or newer; RTBWIRE_PYTHON may name one"
  rm -rf "$venv" "$dist"
  "$PYTHON" -m venv "$venv"
  export PYTHONDONTWRITEBYTECODE=1 CMAKE_BUILD_PARALLEL_LEVEL=$JOBS PIP_DISABLE_PIP_VERSION_CHECK=1
  "$venv/bin/pip" install --quiet -r cpp/python/tests/requirements.txt ||
    left_out "the Python package's tests need a package index: pip could not install cpp/python/tests/requirements.txt"
  "$venv/bin/python" -m build --sdist --outdir "$dist" cpp >"$BUILD/python/sdist.log" 2>&1 ||
    die "no source distribution: see $BUILD/python/sdist.log"
  "$venv/bin/pip" install --quiet "$dist"/*.tar.gz
  "$venv/bin/python" -m pytest -q -p no:cacheprovider cpp/python/tests
}

mode=${1:-test}
case $mode in
test)
  bootstrap test
  build release -DRTBWIRE_TESTS=ON -DRTBWIRE_BENCH=OFF # bench leaves them the other way round
  run_tests release
  ;;
static) # for machines that have nothing else (scripts/test-avx512.sh)
  bootstrap static
  (cd cpp && cmake --preset release -B "$BUILD/static" -DCMAKE_EXE_LINKER_FLAGS=-static -DRTBWIRE_TOOL=OFF >/dev/null)
  cmake --build "$BUILD/static" -j "$JOBS" --target scan_test -- --quiet
  ;;
asan | tsan)
  bootstrap "$mode"
  build "$mode"
  run_tests "$mode"
  ;;
arm64)
  bootstrap arm64
  build arm64
  run_tests arm64
  ;;
bench)
  bootstrap bench
  # RTBWIRE_GLAZE_SOURCE: a folder with Glaze 6.4.0, which has no package.
  # RTBWIRE_SIMDJSON_SOURCE: a newer simdjson than the package's for the row with typed structs.
  build release -DRTBWIRE_BENCH=ON -DRTBWIRE_TESTS=OFF -DRTBWIRE_SIMDJSON_SOURCE="${RTBWIRE_SIMDJSON_SOURCE:-}" \
    -DRTBWIRE_GLAZE_SOURCE="${RTBWIRE_GLAZE_SOURCE:-}"
  # Interleaved, so that what the machine does meanwhile meets all rows alike.
  "$BUILD/release/bench/scan_bench" --benchmark_repetitions=11 --benchmark_enable_random_interleaving=true \
    --benchmark_min_time=0.05 --benchmark_report_aggregates_only=true \
    --benchmark_out="${2:-$BUILD/bench.json}" --benchmark_out_format=json
  # The lab takes this one's times itself, in turns with the Go libraries.
  if [[ -x $BUILD/release/bench/typed_bench ]]; then "$BUILD/release/bench/typed_bench" testdata/bench/banner.json; fi
  ;;
fuzz)
  bootstrap fuzz
  build fuzz
  mkdir -p "$BUILD/corpus"
  "$BUILD/fuzz/fuzz/fuzz_scan" -max_total_time="${2:-60}" -max_len=2048 -print_final_stats=1 -dict=cpp/fuzz/json.dict \
    "$BUILD/corpus" testdata/jsontestsuite
  ;;
install)
  bootstrap install
  # A folder of its own: the tests, which take most of the time to compile, are not installed.
  (cd cpp && cmake --preset release -B "$BUILD/install/library" -DRTBWIRE_TESTS=OFF >/dev/null)
  cmake --build "$BUILD/install/library" -j "$JOBS" -- --quiet
  cpp/tests/consumer/check.sh "$BUILD/install/library" "$BUILD/install"
  ;;
python)
  bootstrap python
  python_tests
  ;;
generate)
  command -v python3 >/dev/null || die "generating the table of patterns needs python3"
  python3 cpp/patterns.py
  ;;
*) die "cpp.sh: no mode named '$mode'" ;;
esac
