#!/usr/bin/env bash
# Builds the C++ packet scanner and runs its tests:
#   cpp.sh [test]         compiled with -O1, in two thirds of the time; the kernels keep their -O3
#   cpp.sh release        the same, compiled as it is installed
#   cpp.sh tool           only builds the command-line tools, for scripts/docs.sh
#   cpp.sh asan | tsan    with the address and undefined-behaviour or the thread sanitizer
#   cpp.sh arm64          cross-compiles the library and runs its tests under qemu-user
#   cpp.sh install        installs it into a scratch folder and builds a project with it in each way
#                         that users have
#   cpp.sh python         builds the Python package from its source distribution, in a virtual
#                         environment, and tests it; RTBWIRE_PYTHON names another interpreter
#   cpp.sh core           builds the core in examples/core-cpp, and tests it with a gateway in front
#   cpp.sh bench [--quick] [--limit SECONDS] [--publish]
#                         the comparison, in under five minutes; --quick is a first look; --limit
#                         gives it more time for narrower intervals; --publish writes the figures of
#                         lab/results/claims and the tables of cpp/README.md
#   cpp.sh payload [COUNT] compares package inspect/payload with it on documents made at random: so
#                         many, for each set of layers and each kernel
#   cpp.sh fuzz [SECONDS] libFuzzer, all kernels against each other
#   cpp.sh generate       makes the tables of patterns again from testdata/payload/patterns.json
# What a mode needs besides Go: scripts/setup.sh cpp-MODE. The build goes to cpp/build/, or to the
# folder named by RTBWIRE_CPP_BUILD.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly BUILD=${RTBWIRE_CPP_BUILD:-$PWD/cpp/build}
readonly JOBS=${RTBWIRE_CPP_JOBS:-2}
readonly PYTHON=${RTBWIRE_PYTHON:-python3}

# configure PRESET FOLDER OPTION...
configure() {
  local preset=$1 folder=$BUILD/$2
  shift 2
  (cd cpp && cmake --preset "$preset" -B "$folder" "$@" >/dev/null)
}

# build PRESET FOLDER OPTION... configures and compiles.
build() {
  configure "$@"
  cmake --build "$BUILD/$2" -j "$JOBS"
}

# build_test [--target TARGET...] has a folder of its own, so that it and cpp.sh release don't
# compile again what the other has built.
build_test() {
  configure release test -DRTBWIRE_TESTS=ON -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG'
  cmake --build "$BUILD/test" -j "$JOBS" "$@"
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
  need cpp
  build_test
  run_tests test
  ;;
tool)
  need cpp
  build_test --target rtbwire-scan rtbwire-packets
  ;;
release)
  need cpp
  build release release -DRTBWIRE_TESTS=ON -DRTBWIRE_BENCH=OFF # bench leaves them the other way round
  run_tests release
  ;;
static) # for machines that have nothing else (scripts/test-avx512.sh)
  need cpp
  configure release static -DCMAKE_EXE_LINKER_FLAGS=-static -DRTBWIRE_TOOL=OFF
  cmake --build "$BUILD/static" -j "$JOBS" --target scan_test
  ;;
asan | tsan | arm64)
  need "cpp-$mode"
  build "$mode" "$mode"
  run_tests "$mode"
  ;;
bench)
  need cpp-bench
  options=() publish=''
  shift
  while [[ $# -gt 0 ]]; do
    case $1 in
    --quick) options+=("$1") ;;
    --limit) options+=("$1" "${2:?cpp.sh bench: --limit needs a number of seconds}") && shift ;;
    --publish) publish=yes ;;
    *) die "cpp.sh bench: no option $1" ;;
    esac
    shift
  done
  rivals=$(scripts/rivals.sh) # says what it can't get
  # RTBWIRE_GLAZE_SOURCE: a folder with Glaze 6.4.0, which has no package; RTBWIRE_DAW_SOURCE: one
  # with daw_json_link 3.29.1, which has none either.
  # RTBWIRE_SIMDJSON_SOURCE: a newer simdjson than the package's for the row with typed structs.
  # CMAKE_PREFIX_PATH: where other rivals are installed.
  configure release release -DRTBWIRE_BENCH=ON -DRTBWIRE_TESTS=OFF -DRTBWIRE_SIMDJSON_SOURCE="${RTBWIRE_SIMDJSON_SOURCE:-}" \
    -DRTBWIRE_GLAZE_SOURCE="${RTBWIRE_GLAZE_SOURCE:-}" -DRTBWIRE_DAW_SOURCE="${RTBWIRE_DAW_SOURCE:-}" -DRTBWIRE_RIVALS="$rivals"
  # typed_bench is measured by the lab, in turns with the Go libraries. It needs Google Benchmark.
  targets=(scan_bench scan_bench_count)
  if [[ $(cmake --build "$BUILD/release" --target help) == *typed_bench* ]]; then targets+=(typed_bench); fi
  cmake --build "$BUILD/release" -j "$JOBS" --target "${targets[@]}"
  "$PYTHON" cpp/bench/compare.py "$BUILD/release/bench" "$BUILD/bench.json" "${options[@]}"
  "$PYTHON" cpp/bench/table.py --show "$BUILD/bench.json"
  [[ -z $publish ]] || "$PYTHON" cpp/bench/table.py --take "$BUILD/bench.json"
  ;;
payload)
  need cpp-payload
  need_go
  build_test --target rtbwire-scan
  RTBWIRE_SCAN=$BUILD/test/tool/rtbwire-scan RTBWIRE_PAYLOAD_DIFFERENTIAL=${2:-100000} \
    go test ./inspect/payload -run '^TestDifferential$' -count 1 -timeout 0 -v
  ;;
fuzz)
  need cpp-fuzz
  build fuzz fuzz
  mkdir -p "$BUILD/corpus"
  "$BUILD/fuzz/fuzz/fuzz_scan" -max_total_time="${2:-60}" -max_len=2048 -print_final_stats=1 -dict=cpp/fuzz/json.dict \
    "$BUILD/corpus" testdata/jsontestsuite
  ;;
install)
  need cpp-install
  # A folder of its own: the tests, which take most of the time to compile, are not installed.
  configure release install/library -DRTBWIRE_TESTS=OFF
  cmake --build "$BUILD/install/library" -j "$JOBS"
  cpp/tests/consumer/check.sh "$BUILD/install/library" "$BUILD/install"
  ;;
core)
  need cpp-core
  need_go
  cmake -S examples/core-cpp -B "$BUILD/core" -G Ninja >/dev/null
  cmake --build "$BUILD/core" -j "$JOBS"
  RTBWIRE_CORE=$BUILD/core/core go test ./cmd/rtbwire -run '^TestCoreCPP$' -count 1
  ;;
python)
  need cpp-python
  python_tests
  ;;
generate)
  need_go
  go generate ./inspect/payload
  ;;
*) die "cpp.sh: no mode named '$mode'" ;;
esac
