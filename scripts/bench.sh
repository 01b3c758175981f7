#!/usr/bin/env bash
# Measures: bench.sh [WHAT] [FLAG...]. WHAT is
#
#   quick      every JSON library side by side, in three minutes (the default)
#   readme     what the README shows, in five to fifteen minutes
#   full       an hour or two; without flags also everything else that lab/docs/claims.md holds
#              against published figures, an hour more, and that page. Each call adds a run of each
#              program to lab/results/claims; remove the files of an earlier set of runs before
#   published  five texts measured again as their authors did, in half an hour: what they said,
#              what it is here, the verdict. --quick is a first look in five minutes, --row prints
#              a line to send in
#   ablation   what each technique of two decoders is worth, in five to twenty minutes
#   gateway    the gateway beside a bare proxy, nginx, HAProxy, httputil.ReverseProxy and handlers
#              of net/http, in 40 minutes; --quick is a first look
#   stream     a stream beside a bare copy loop, on a real broker, in ten minutes; --quick is a
#              first look. The broker needs Java 17 and, once, Maven
#   check      throughput and memory of "rtbwire check" on a large file
#   diff       the same of "rtbwire policy diff" on a million requests, held against two filters
#   replay     what "rtbwire replay" and the stand-in core carry together, wrk and h2load beside it
#
# Flags go to the lab, where "go run . --help" and "go run . gateway --help" explain them. What the
# machine lacks is left out, and keeps its earlier figures. Results are in lab/results/, with a page
# beside them; "cd lab && go run . gateway page" and "... readme" publish them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

what=${1:-quick}
(($# == 0)) || shift
need_go

# missing PART says what the machine lacks of a part; it fails where that is nothing.
missing() {
  local packages
  packages=$(scripts/setup.sh --missing "$1")
  [[ -n $packages ]] || return 1
  echo "not installed: ${packages//$'\n'/ } (make setup ARGS=$1)" >&2
}

# published measures what five texts say, on their types and with their versions where packages
# have them, into a folder of its own, and prints the verdicts.
published() {
  local quick=() row='' preset=(--preset full --time 50ms --limit 3m) dir
  for flag in "$@"; do
    case $flag in
    --quick) quick=(--quick) preset=(--preset quick) ;;
    --row) row=yes ;;
    *) die "bench.sh published: no option $flag; there are --quick and --row" ;;
    esac
  done
  dir=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$dir'" EXIT
  step() { echo "-- $*" >&2; }
  step "articles 1 and 2: decoders for OpenRTB in Go"
  go -C lab run . published --out "$dir/published.json" "${quick[@]}" >&2
  if missing cpp-bench; then
    step "article 4, C++ libraries and allocators, is left out"
  else
    step "article 4: C++ libraries and allocators"
    scripts/cpp.sh bench "${quick[@]}" >&2
    cp "${RTBWIRE_CPP_BUILD:-cpp/build}/bench.json" "$dir/cpp.json"
  fi
  if [[ -n $row ]]; then
    go -C lab run ./claims row --folder "$dir"
    return
  fi
  step "article 3: libraries for Go"
  go -C lab run . "${preset[@]}" --service=false --ops decode,partial --sets banner,app,mixed_shuffled \
    --engines 'encoding-json|jsoniter|gojson|easyjson|jsonparser|simdjson-go|contaminated' --out "$dir/lab.md" >&2
  go -C lab run ./claims take --folder "$dir" "$dir/lab/results.json" >/dev/null # says what other rows ask for
  go -C lab run ./claims profile --folder "$dir" "${quick[@]}" >&2
  go -C lab run ./claims census --folder "$dir" >&2
  step "text 5: a playbook about encoding/json"
  go -C lab run ./playbook --json "${quick[@]}" >"$dir/playbook.json"
  go -C lab run ./claims --folder "$dir"
}

case $what in
quick | readme | full)
  echo "building the lab and the libraries that it measures (a minute the first time)"
  go -C lab run . --preset "$what" "$@"
  ;;
published) published "$@" ;;
ablation) exec go -C lab run . ablation "$@" ;;
gateway)
  missing bench-gateway || true
  exec go -C lab run . gateway "$@"
  ;;
stream)
  scripts/kafka.sh fetch
  exec go -C lab run . stream "$@"
  ;;
check) exec scripts/bench-check.sh "$@" ;;
diff) exec scripts/bench-diff.sh "$@" ;;
replay) exec scripts/bench-replay.sh "$@" ;;
*) die "bench.sh: no measurement named '$what'; there are quick, readme, full, published, ablation, gateway, stream, check, diff, replay" ;;
esac

[[ $what == full && $# == 0 ]] || exit 0
go -C lab run ./claims take # of the run above
go -C lab run . parallel --write
go -C lab run . tail --write
go -C lab run . ablation --write
go -C lab run ./playbook --write
go -C lab run . published --write
go -C lab run ./claims profile
go -C lab run ./claims census
missing cpp-bench || scripts/cpp.sh bench --publish
go -C lab run ./claims --write
echo "lab/docs/claims.md"
