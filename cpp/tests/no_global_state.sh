#!/usr/bin/env bash
# Shows that the library has no mutable global: no_global_state.sh LIBRARY.a
# No symbol and no byte in a section that is writable, thread-local or common, and no call of
# anything that could keep state or take memory.
set -euo pipefail

readonly library=$1

# Symbols in a section that stays writable. .data.rel.ro is not one: it holds constants with
# addresses in them (the table of patterns), which the loader fills in and then makes read-only.
symbols=$(objdump -t "$library" | awk '
  { section = "" }
  NF >= 5 { section = $(NF - 2) }
  section ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && section !~ /^\.data\.rel\.ro/ && $0 !~ / d  ?\./ { print section, $NF }
  section == "*COM*" { print section, $NF }')
if [[ -n $symbols ]]; then
  printf 'global data in the library:\n%s\n' "$symbols" >&2
  exit 1
fi

# Unnamed statics leave no symbol in a stripped object, but a section with a size.
sections=$(objdump -h "$library" | awk '
  /file format/ { file = $1 }
  $2 ~ /^\.(data|bss|tdata|tbss|init_array|ctors|data\.rel\.local)(\.|$)/ && $2 !~ /^\.data\.rel\.ro/ &&
    $3 !~ /^0+$/ { print file, $2, "0x" $3 }')
if [[ -n $sections ]]; then
  printf 'writable sections with bytes in them:\n%s\n' "$sections" >&2
  exit 1
fi

# What the library may call. Everything else has to be argued for here.
foreign=$(nm --undefined-only "$library" | awk 'NF == 2 { print $2 }' | sort -u |
  grep -vE '^(_ZN7rtbwire|rtbwire_|_GLOBAL_OFFSET_TABLE_$|mem(cpy|cmp|chr|set|move)$|bcmp$|__stack_chk_fail$|__(mem|str)[a-z]*_chk$)' || true)
if [[ -n $foreign ]]; then
  printf 'the library calls:\n%s\n' "$foreign" >&2
  exit 1
fi
echo "no writable data, no thread-local data, no calls but mem*"
