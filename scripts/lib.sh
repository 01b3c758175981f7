# shellcheck shell=bash
# Shared by the scripts beside this file, which source it after "set -euo pipefail".
# It enters the repository root.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# A go.work in a folder above would change which modules "./..." means.
export GOWORK=off

# The tree has no cgo, and a machine without a C compiler must give the same answers as
# one with it; only the race detector links C (scripts/race.sh).
export CGO_ENABLED=0

readonly GO_MINOR_MIN=26

# Exit status of a step that could not run because the machine lacks something
# optional (automake's convention); scripts/test.sh goes on and reports it at the end.
readonly LEFT_OUT=77

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

left_out() {
  printf 'left out: %s\n' "$*" >&2
  exit "$LEFT_OUT"
}

need_go() {
  command -v go >/dev/null ||
    die "rtbwire needs Go 1.$GO_MINOR_MIN or newer and there is no 'go' on PATH. Install it: https://go.dev/doc/install"
  local version
  # In the module's folder this already is the toolchain that go.mod asked for, if go could get it.
  version=$(go env GOVERSION) ||
    die "rtbwire needs Go 1.$GO_MINOR_MIN or newer (see the line above). Install it: https://go.dev/doc/install"
  if [[ ! $version =~ go1\.([0-9]+) ]] || ((BASH_REMATCH[1] < GO_MINOR_MIN)); then
    die "rtbwire needs Go 1.$GO_MINOR_MIN or newer, found $version. Install it: https://go.dev/doc/install"
  fi
}

# compiles_c says whether the race detector can link: a compiler alone is not
# enough, Debian's gcc comes without the C library's headers.
compiles_c() {
  local cc
  cc=$(go env CC)
  command -v "${cc%% *}" >/dev/null &&
    printf '#include <stdlib.h>\nint main(void) { return 0; }\n' |
    $cc -x c -o /dev/null - 2>/dev/null
}

# runner_for ARCH prints the emulator that "go test -exec" needs for linux/ARCH,
# nothing where the machine runs such programs itself; it fails where there is none.
runner_for() {
  local arch=$1 qemu=$1 dir found=
  [[ $arch == arm64 ]] && qemu=aarch64
  [[ $arch == 386 ]] && qemu=i386

  # Asking the machine beats guessing from uname: kernels leave 32-bit support
  # out, and binfmt_misc may have an emulator in place already.
  dir=$(mktemp -d)
  printf 'package main\n\nfunc main() {}\n' >"$dir/main.go"
  if GOOS=linux GOARCH=$arch go build -o "$dir/probe" "$dir/main.go" &&
    "$dir/probe" 2>/dev/null; then
    rm -rf "$dir"
    return 0
  fi
  rm -rf "$dir"
  found=$(command -v "qemu-$qemu" || command -v "qemu-$qemu-static") || return 1
  printf '%s\n' "$found"
}

# packages PATTERN... prints those patterns whose folder exists.
packages() {
  local pattern
  for pattern in "$@"; do
    if [[ -d ${pattern%/...} ]]; then printf '%s\n' "$pattern"; fi
  done
}

# generated_files GLOB... prints the files so named that carry Go's marker for generated files.
generated_files() {
  local glob
  for glob in "$@"; do
    grep -rlE --include="$glob" --exclude-dir={.git,bin,testdata} '^// Code generated .* DO NOT EDIT\.$' . || true
  done
}

# submodules prints the folder of every go.mod below the root. tools/ is not among them: it
# pins programs, has no package, and tidying it would fetch the tests of every linter's
# dependencies.
submodules() {
  find . \( -name .git -o -name bin -o -name testdata -o -path ./tools \) -prune -o \
    -name go.mod ! -path ./go.mod -exec dirname {} \; | sort
}

can_install() { ((EUID == 0)) && command -v apt-get >/dev/null; }

apt_install() {
  local options=(-y -qq --no-install-recommends -o DPkg::Lock::Timeout=300)
  export DEBIAN_FRONTEND=noninteractive
  # The package lists of a fresh machine are empty or old; elsewhere they need no update.
  apt-get install "${options[@]}" "$@" </dev/null >/dev/null 2>&1 && return
  apt-get update -qq </dev/null && apt-get install "${options[@]}" "$@" </dev/null >/dev/null
}

# install_missing COMMAND ARG... installs the Debian packages whose names COMMAND prints, as root. Those that are
# still missing then are in the array wanted.
install_missing() {
  mapfile -t wanted < <("$@")
  if ((${#wanted[@]} > 0)) && can_install; then
    echo "installing with apt: ${wanted[*]}"
    apt_install "${wanted[@]}" || true # judged by what works afterwards
    mapfile -t wanted < <("$@")
  fi
}
