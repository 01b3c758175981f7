#!/usr/bin/env bash
# Runs the legs of a list in scripts/legs.txt, all or those named: legs.sh ci|verify [LEG...].
# SKIP names legs that have run already. It stops at the first leg that fails, and ends with a table
# of times.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

list=${1:?"usage: legs.sh ci|verify [LEG...]"}
shift
mapfile -t all < <(awk -v list="$list" '$1 == list { print $2 }' scripts/legs.txt)
((${#all[@]} > 0)) || die "legs.sh: no list named '$list'"
for leg in "$@" ${SKIP:-}; do
  [[ " ${all[*]} " == *" $leg "* ]] || die "make $list has no leg '$leg'. It has: ${all[*]}"
done
if (($# == 0)); then set -- "${all[@]}"; fi

need_go
for leg in "$@"; do
  if [[ " ${SKIP:-} " == *" $leg "* ]]; then continue; fi
  read -ra command < <(awk -v list="$list" -v leg="$leg" '$1 == list && $2 == leg { $1 = $2 = ""; print }' scripts/legs.txt)
  step "$leg" "${command[@]}"
done
steps_table "make $list: all passed"
