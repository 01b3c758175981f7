# shellcheck shell=bash
# Shared by the scripts in this folder, which source it after "set -euo pipefail".
# It enters the repository root.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# A go.work in a folder above would change which modules "./..." means.
export GOWORK=off

# The tree has no cgo, and a machine without a C compiler must give the same answers as
# one with it; only the race detector links C (scripts/race.sh).
export CGO_ENABLED=0

# Without -trimpath the folder is part of the build cache's key: a copy of the tree, such as
# generate-check makes, would compile everything again.
export GOFLAGS="${GOFLAGS:-} -trimpath"

readonly GO_MINOR_MIN=26

# Exit status of a leg that could not run because the machine lacks something (automake's
# convention). In CI it is a failure.
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
  # git refuses to read a checkout of another user (a mounted volume, say); go build
  # then fails instead of leaving the revision out.
  git rev-parse --git-dir >/dev/null 2>&1 || export GOFLAGS="$GOFLAGS -buildvcs=false"
  # Tests that type-check the standard library look for it there; -trimpath takes it out of them.
  GOROOT=$(go env GOROOT)
  export GOROOT
}

# need PART... ends a script that can not run because the machine lacks Debian packages for
# PART (scripts/setup.sh has the list).
need() {
  local missing
  missing=$(scripts/setup.sh --missing "$@") || exit
  if [[ -n $missing ]]; then
    left_out "$* needs ${missing//$'\n'/ }. To install it, as root: make setup ARGS='$*'"
  fi
}

# runner_for ARCH prints the emulator that "go test -exec" needs for linux/ARCH, nothing where the
# machine runs such programs itself; it fails without one.
runner_for() {
  local arch=$1 qemu=$1 dir
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
  command -v "qemu-$qemu" || command -v "qemu-$qemu-static"
}

# differing [FLAG...] prints the packages whose files differ between the default build and the
# one with those flags of go list and the GOOS and GOARCH of the environment.
differing() {
  local files='{{.ImportPath}} {{.GoFiles}} {{.SFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}'
  comm -13 <(env -u GOOS -u GOARCH go list -f "$files" ./... | sort) <(go list -f "$files" "$@" ./... | sort) |
    cut -d ' ' -f 1
}

# generated_files GLOB... prints the files so named that carry Go's marker for generated files.
generated_files() {
  local glob
  for glob in "$@"; do
    grep -rlE --include="$glob" --exclude-dir={.git,bin,testdata} '^// Code generated .* DO NOT EDIT\.$' . || true
  done
}

# pypi_source NAME VERSION SHA256 FOLDER unpacks the source distribution of a package of PyPI.
pypi_source() {
  local name=$1 version=$2 sum=$3 folder=$4 download status=0
  download=$(mktemp -d)
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary "$name" --dest "$download" "$name==$version" \
    >/dev/null 2>"$download/errors" &&
    sha256sum --quiet --check <<<"$sum  $(echo "$download"/*.tar.gz)" &&
    mkdir -p "$folder" &&
    tar -xf "$download"/*.tar.gz -C "$folder" --strip-components 1 || status=1
  rm -rf "$download"
  return "$status"
}

# go_tool MODULE VERSION [FLAG...] builds a program from its module into bin/tools.
go_tool() {
  local module=$1 version=$2
  shift 2
  GOBIN=$PWD/bin/tools go install "$@" "$module@$version" ||
    left_out "${module##*/} $version can't be built; is there a module proxy?"
}

# copy_tree FOLDER copies the checkout, without what git ignores and with what is not committed yet.
copy_tree() {
  mkdir -p "$1"
  # -c lets git read another user's checkout.
  git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do
      if [[ -e $file ]]; then printf '%s\0' "$file"; fi # a file deleted but not yet committed
    done |
    tar --null --files-from=- -cf - | tar -xf - -C "$1"
}

# commit_tree FOLDER copies the checkout to a repository of its own, with one commit.
commit_tree() {
  copy_tree "$1"
  git -C "$1" init --quiet --initial-branch main
  git -C "$1" add --all
  git -C "$1" -c user.name=test -c user.email=test@example.com commit --quiet --message test
}

# submodules prints the folder of every go.mod below the root. tools/ is not among them: it
# pins programs, has no package, and tidying it would fetch the tests of every linter's
# dependencies.
submodules() {
  find . \( -name .git -o -name bin -o -name testdata -o -path ./tools \) -prune -o \
    -name go.mod ! -path ./go.mod -exec dirname {} \; | sort
}

# ---- steps: what test.sh and legs.sh are made of ----

steps_done=() # NAME WALL CPU, in seconds
steps_left_out=()
readonly STEPS_START=$SECONDS

# progress TOTAL counts the packages that "go build -v" names, on a line of a terminal that moves,
# or on a line every ten seconds. Other lines, errors, go through.
progress() {
  local total=$1 n=0 line shown=$SECONDS every=10 format='compiled %d of %d packages\n'
  if [[ -t 1 ]]; then every=1 format='\r\e[Kcompiled %d of %d packages'; fi
  while IFS= read -r line; do
    if [[ $line == *[[:space:]]* ]]; then
      printf '%s\n' "$line"
      continue
    fi
    n=$((n + 1))
    if ((SECONDS - shown >= every)); then
      shown=$SECONDS
      # shellcheck disable=SC2059 # one of the two above
      printf "$format" "$n" "$total"
    fi
  done
  if [[ -t 1 ]]; then printf '\r\e[K'; fi
}

# tick NAME prints that NAME is still running, every 30 seconds until its input ends.
tick() {
  local start=$SECONDS
  while read -rt 30 || (($? > 128)); do
    printf -- '-- %s: still running after %d s\n' "$1" "$((SECONDS - start))"
  done
}

# step NAME COMMAND... runs COMMAND under a heading and notes its time; a failure ends the script.
step() {
  local name=$1 status=0 timing wall user system ticker
  shift
  printf '\n== %s (at %d s) ==\n' "$name" "$((SECONDS - STEPS_START))"
  timing=$(mktemp)
  exec {ticker}> >(tick "$name")
  # The command runs in a subshell of its own, so that "time" counts all it starts.
  { TIMEFORMAT='%R %U %S'; time "$@" 2>&3 {ticker}>&-; } 3>&2 2>"$timing" || status=$?
  exec {ticker}>&-
  read -r wall user system < <(tail -n 1 "$timing")
  rm -f "$timing"
  steps_done+=("$(awk -v n="$name" -v w="$wall" -v u="$user" -v s="$system" 'BEGIN { printf "%s %.1f %.1f", n, w, u + s }')")
  case $status in
  0) awk -v n="$name" -v w="$wall" -v u="$user" -v s="$system" \
    'BEGIN { printf "-- %s: ok, %.0f s, CPU %.0f s\n", n, w, u + s }' ;;
  "$LEFT_OUT")
    if [[ ${CI:-} == true ]]; then die "-- $name: in CI nothing may be left out"; fi
    steps_left_out+=("$name")
    ;;
  *) die "-- $name: FAILED after $wall s" ;;
  esac
}

# steps_table TITLE prints the time of every step.
steps_table() {
  printf '\n== %s ==\n' "$1"
  printf '%s\n' "${steps_done[@]}" | awk '
    BEGIN { printf "%-18s %8s %8s\n", "step", "wall s", "CPU s" }
    { printf "%-18s %8.1f %8.1f\n", $1, $2, $3; wall += $2; cpu += $3 }
    END { printf "%-18s %8.1f %8.1f\n", "total", wall, cpu }'
  if ((${#steps_left_out[@]} > 0)); then
    echo "left out, because this machine lacks something (see above; make setup): ${steps_left_out[*]}"
  fi
}
