#!/usr/bin/env bash
# Runs legs of scripts/legs.txt, all of a list or those named: legs.sh ci|verify [LEG...]. SKIP
# names legs that have run already; ARGS goes to the command of a leg that is named alone. It stops
# at the first leg that fails, and ends with a table of times.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# in_list LIST... prints the legs of the lists.
in_list() {
  awk -v lists=" $* " '!/^#/ && NF && index(lists, " " $1 " ") { print $2 }' scripts/legs.txt
}

if [[ ${1:-} == --run ]]; then # LEG: itself, below
  need "$2"
  command=$(awk -v leg="$2" '!/^#/ && $2 == leg { $1 = $2 = ""; print }' scripts/legs.txt)
  exec bash -c "set -euo pipefail; $command ${ARGS:-}"
fi

list=${1:?"usage: legs.sh ci|verify [LEG...]"}
shift
mapfile -t legs < <(in_list "$list")
((${#legs[@]} > 0)) || die "legs.sh: no list named '$list'"
known=("${legs[@]}")
if [[ $list == verify ]]; then mapfile -t -O "${#known[@]}" known < <(in_list named); fi
for leg in "$@" ${SKIP:-}; do
  [[ " ${known[*]} " == *" $leg "* ]] || die "make $list has no leg '$leg'. It has: ${known[*]}"
done
if (($# > 0)); then legs=("$@"); fi
[[ -z ${ARGS:-} || ${#legs[@]} == 1 ]] || die "ARGS are for one leg; name it: make $list STEPS=LEG ARGS='$ARGS'"

need_go
for leg in "${legs[@]}"; do
  if [[ " ${SKIP:-} " == *" $leg "* ]]; then continue; fi
  step "$leg" scripts/legs.sh --run "$leg"
done
steps_table "make $list: all passed"
