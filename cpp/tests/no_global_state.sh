#!/usr/bin/env bash
# Checks that the library has no mutable global data: no_global_state.sh LIBRARY.a
# It must have no symbol and no byte in a section that is writable, thread-local or common, and must
# not call anything that could keep state or take memory. A kernel must export its table only.
set -euo pipefail

readonly library=$1

# Symbols in a section that stays writable. .data.rel.ro does not: it holds constants that contain
# addresses (patterns, functions of kernels). The loader fills them in and makes them read-only.
symbols=$(objdump -t "$library" | awk '
  { section = "" }
  NF >= 5 { section = $(NF - 2) }
  section ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && section !~ /^\.data\.rel\.ro/ && $0 !~ / d  ?\./ { print section, $NF }
  section == "*COM*" { print section, $NF }')
if [[ -n $symbols ]]; then
  printf 'global data in the library:\n%s\n' "$symbols" >&2
  exit 1
fi

# In a stripped object, static data has no symbol but a section with a size.
sections=$(objdump -h "$library" | awk '
  /file format/ { file = $1 }
  $2 ~ /^\.(data|bss|tdata|tbss|init_array|ctors|data\.rel\.local)(\.|$)/ && $2 !~ /^\.data\.rel\.ro/ &&
    $3 !~ /^0+$/ { print file, $2, "0x" $3 }')
if [[ -n $sections ]]; then
  printf 'writable sections with bytes in them:\n%s\n' "$sections" >&2
  exit 1
fi

# What the library may call. Anything else needs a reason, given here.
foreign=$(nm --undefined-only "$library" | awk 'NF == 2 { print $2 }' | sort -u |
  grep -vE '^(_ZN7rtbwire|rtbwire_|_GLOBAL_OFFSET_TABLE_$|mem(cpy|cmp|chr|set|move)$|bcmp$|__stack_chk_fail$|__(mem|str)[a-z]*_chk$)' || true)
if [[ -n $foreign ]]; then
  printf 'the library calls:\n%s\n' "$foreign" >&2
  exit 1
fi
# The linker merges functions with the same name. If a kernel exported one, other code could get a
# version of it that uses instructions the processor does not have.
exports=$(nm -C --defined-only --extern-only "$library" | awk '
  /^kernel_.*:$/ { file = $1; next }
  /:$/ { file = "" }
  file != "" && NF >= 3 { $1 = $2 = ""; print file, $0 }' | grep -vE '  rtbwire::[a-z0-9]+_ops$' || true)
if [[ -n $exports ]]; then
  printf 'kernels export:\n%s\n' "$exports" >&2
  exit 1
fi
echo "no writable data, no thread-local data, only calls of mem*, only tables exported"
