#!/usr/bin/env bash
# Checks what the machine must have besides Go: bootstrap.sh [race] [386] [arm64].
# As root it installs what is missing with apt; otherwise it names the command. Each
# part is optional (its step is left out), except in CI, where green must mean complete.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# missing PART... prints the Debian packages those parts still need.
missing() {
  local part
  for part in "$@"; do
    case $part in
    race) compiles_c || printf 'gcc\nlibc6-dev\n' ;;
    386 | arm64) runner_for "$part" >/dev/null || printf 'qemu-user\n' ;;
    *) die "bootstrap.sh: no part named '$part'" ;;
    esac
  done | sort -u
}

need_go
wanted=() # set by install_missing
install_missing missing "$@"
if ((${#wanted[@]} > 0)); then
  command="sudo apt-get install -y ${wanted[*]}"
  if [[ ${CI:-} == true ]]; then
    die "missing: ${wanted[*]}. To install: $command"
  fi
  echo "missing: ${wanted[*]}; the steps that need them will be left out. To install: $command"
fi
