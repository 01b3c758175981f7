#!/usr/bin/env bash
# Runs fuzz targets one after the other: fuzz.sh [-l LOG] [-p PARALLEL] [BUDGET] [TARGET...].
# "fuzz.sh --list" prints the folder and the name of every target; "fuzz.sh --smoke" gives each 500
# inputs, to see that it works.
#
# BUDGET is what each target gets, a time (30m, the default) or a number of inputs (20000x).
# TARGET is a name (FuzzDecode) or the folder it is in (openrtb, internal/simd/jsonindex);
# without one all run. -p is the number of workers (1). -l appends a line per target to LOG: date,
# target, budget, seconds, inputs run, inputs that reached something new, result.
#
# An input that fails is left in testdata/fuzz/TARGET beside the test; give it a name that
# says what it shows and commit it with the fix, since every run of the tests repeats it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: fuzz.sh [-l LOG] [-p PARALLEL] [BUDGET] [TARGET...]"; }

# targets prints the folder and the name of every fuzz target of the module.
targets() {
  grep -rE --include='*_test.go' --exclude-dir={.git,bin,testdata,lab,_asm} -o '^func Fuzz[A-Za-z0-9_]+' . |
    sed -E 's|^\./(.*)/[^/]*:func (.*)$|\1 \2|' | sort
}
if [[ ${1:-} == --list ]]; then
  targets
  exit
fi

# smoke gives every target 500 inputs. The tests' own programs are used, which costs no second build
# of everything: without the instrumentation that "go test -fuzz" adds, inputs change at random.
smoke() {
  local built='' dir folder name start
  dir=$(mktemp -d)
  while read -r folder name; do
    if [[ $folder != "$built" ]]; then
      go test -c -vet=off -o "$dir/test" "./$folder"
      built=$folder
    fi
    start=$SECONDS
    (cd "$folder" && "$dir/test" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime 500x -test.fuzzminimizetime 50x \
      -test.fuzzcachedir "$dir/corpus" -test.parallel 1 </dev/null)
    printf 'ok  \t%s %s\t%d s\n' "$folder" "$name" "$((SECONDS - start))"
  done < <(targets)
  rm -rf "$dir"
}
if [[ ${1:-} == --smoke ]]; then
  need_go
  smoke
  exit
fi

log='' parallel=1
while getopts l:p: option; do
  case $option in
  l) log=$OPTARG ;;
  p) parallel=$OPTARG ;;
  *) usage ;;
  esac
done
shift $((OPTIND - 1))
budget=30m
if [[ ${1:-} =~ ^([0-9]+x|([0-9.]+(h|m|s))+)$ ]]; then
  budget=$1
  shift
fi

# wanted FOLDER NAME [TARGET...] says whether the arguments name the target; none name all.
wanted() {
  local folder=$1 name=$2 target
  shift 2
  (($# > 0)) || return 0
  for target in "$@"; do
    if [[ $target == "$name" || ${target%/} == "$folder" ]]; then return 0; fi
  done
  return 1
}

need_go
list=$(targets | while read -r folder name; do
  if wanted "$folder" "$name" "$@"; then printf '%s %s\n' "$folder" "$name"; fi
done)
[[ -n $list ]] || die "no such fuzz target: $*. There are:"$'\n'"$(targets)"

output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=()
while read -r folder name; do
  printf '%s in %s, %s\n' "$name" "$folder" "$budget"
  start=$SECONDS result=ok
  # By default go takes up to a minute to shorten each input that reaches something new: nearly all
  # of the time.
  go test "./$folder" -run '^$' -fuzz "^$name\$" -fuzztime "$budget" -fuzzminimizetime 500x -parallel "$parallel" \
    </dev/null 2>&1 | tee "$output" || result=failed
  if [[ $result == failed ]]; then failed+=("$name"); fi
  if [[ -n $log ]]; then
    # The last line of progress: "fuzz: elapsed: 3s, execs: 325 (108/sec), new interesting: 1
    # (total: 9)"
    inputs=$(sed -nE 's/^fuzz: elapsed: .*execs: ([0-9]+).*/\1/p' "$output" | tail -n 1)
    new=$(sed -nE 's/^fuzz: elapsed: .*new interesting: ([0-9]+).*/\1/p' "$output" | tail -n 1)
    printf '%s\t%s/%s\t%s\t%d s\t%d inputs\t%d new\t%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$folder" "$name" \
      "$budget" "$((SECONDS - start))" "${inputs:-0}" "${new:-0}" "$result" >>"$log"
  fi
done <<<"$list"
if ((${#failed[@]} > 0)); then die "failed: ${failed[*]}"; fi
