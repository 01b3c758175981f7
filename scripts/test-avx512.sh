#!/usr/bin/env bash
# Runs the tests of the AVX-512 kernels: test-avx512.sh [go] [cpp], both by default.
# A processor with AVX-512 runs them itself. Elsewhere Bochs does, an emulator that has AVX-512
# (QEMU has not), some 50 times slower: it boots a Linux kernel in about 20 seconds and runs all
# programs in one go.
#   RTBWIRE_AVX512_RUN      Go tests to run (-test.run), all by default
#   RTBWIRE_AVX512_SECONDS  the emulator's time limit, 1200 by default
#   RTBWIRE_AVX512_CPU      Bochs's processor; the default has F, BW, CD, DQ and VL, tigerlake also
#                           VBMI, VBMI2, ...
#   RTBWIRE_AVX512_EMULATE  1: use the emulator even where the processor has AVX-512
#   RTBWIRE_AVX512_KERNEL   a Linux kernel (vmlinuz) instead of Debian's newest
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if (($# == 0)); then set -- go cpp; fi
parts=" $* "
readonly CPU=${RTBWIRE_AVX512_CPU:-corei7_skylake_x} LIMIT=${RTBWIRE_AVX512_SECONDS:-1200} IPS=50000000
readonly BOCHS=/usr/share/bochs ISOLINUX=/usr/lib/ISOLINUX/isolinux.bin LDLINUX=/usr/lib/syslinux/modules/bios/ldlinux.c32

# kernel FILE puts a Linux kernel there: one is downloaded and unpacked, not installed.
kernel() {
  if [[ -n ${RTBWIRE_AVX512_KERNEL:-} ]]; then
    cp "$RTBWIRE_AVX512_KERNEL" "$1"
    return
  fi
  local package
  package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends: linux-image/ { print $2; exit }')
  [[ -n $package ]] || return
  mkdir "$1.d"
  (cd "$1.d" && apt-get download -qq "$package" >/dev/null 2>&1 && dpkg -x ./*.deb .) || return
  mv "$1.d"/boot/vmlinuz-* "$1"
  rm -rf "$1.d"
}

# guest_init prints the guest's first program, which runs the others. What stands behind "@@" is for
# this script.
guest_init() {
  cat <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t tmpfs tmp /tmp
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
echo "@@begin"
grep -m 1 '^flags' /proc/cpuinfo
for dir in /programs/*; do
  echo "@@run $(cat $dir/name)"
  sh $dir/command </dev/null 2>&1
  echo "@@exit $?"
done
echo "@@end"
sleep 1
reboot -f # "reboot=t" makes that a triple fault, and Bochs ends at one
INIT
}

# emulate DIR runs the programs in DIR/guest/programs and prints what they print.
emulate() {
  local dir=$1 out=$1/serial.txt
  mkdir -p "$dir"/guest/{bin,dev,proc,tmp} "$dir/iso/isolinux"
  kernel "$dir/iso/vmlinuz" || left_out "no kernel for the emulator: 'apt-get download' of linux-image-cloud-amd64's failed"
  cp /bin/busybox "$dir/guest/bin/"
  guest_init >"$dir/guest/init"
  chmod +x "$dir/guest/init"
  (cd "$dir/guest" && find . | cpio -o -H newc --quiet >"$dir/iso/initrd")
  cp "$ISOLINUX" "$LDLINUX" "$dir/iso/isolinux/"
  # Without clearcpuid the kernel turns XSAVE off, and with it AVX, because Bochs 2.7 describes it
  # wrongly, and "fast short rep mov" hangs on its newest processors. The guest's clock counts
  # instructions, IPS to the second.
  cat >"$dir/iso/isolinux/isolinux.cfg" <<CONFIG
default linux
prompt 0
timeout 1
label linux
kernel /vmlinuz
append initrd=/initrd console=ttyS0,115200 quiet edd=off nokaslr mitigations=off acpi=off pci=off 8250.nr_uarts=1 clearcpuid=pku,xsaves,xsavec,fsrm tsc=reliable tsc_early_khz=$((IPS / 1000)) lpj=$((IPS / 250)) no_timer_check reboot=t cryptomgr.notests random.trust_cpu=on nowatchdog panic=-1
CONFIG
  xorriso -as mkisofs -quiet -o "$dir/cd.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat \
    -no-emul-boot -boot-load-size 4 -boot-info-table "$dir/iso" 2>/dev/null
  cat >"$dir/bochsrc" <<CONFIG
config_interface: textconfig
display_library: term
memory: guest=512, host=512
romimage: file=$BOCHS/BIOS-bochs-latest
vgaromimage: file=$BOCHS/VGABIOS-lgpl-latest
cpu: model=$CPU, count=1, ips=$IPS, reset_on_triple_fault=0, ignore_bad_msrs=1
clock: sync=none
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$dir/cd.iso, status=inserted
ata1: enabled=0
boot: cdrom
com1: enabled=1, mode=file, dev=$out
speaker: enabled=0
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
log: $dir/bochs.log
panic: action=fatal
error: action=ignore
CONFIG
  echo continue >"$dir/debugger" # Debian's Bochs stops in its debugger first
  : >"$out"
  # Bochs wants a terminal.
  timeout -k 10 "$LIMIT" nice script -qec "TERM=vt100 bochs -q -rc $dir/debugger -f $dir/bochsrc" /dev/null \
    </dev/null >"$dir/screen" 2>&1 || true
  tr -d '\r' <"$out" >"$dir/output"
}

if [[ $(uname -s)-$(uname -m) != Linux-x86_64 ]]; then left_out "AVX-512 needs Linux on x86-64"; fi
native=1
for flag in avx512f avx512bw avx512cd avx512dq avx512vl; do
  grep -qw "$flag" /proc/cpuinfo || native=
done
if [[ ${RTBWIRE_AVX512_EMULATE:-} == 1 ]]; then native=; fi
need_go
if [[ -z $native ]]; then
  need avx512
  bochs --help cpu 2>&1 | grep -x "$CPU" >/dev/null || left_out "this Bochs has no processor $CPU"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Programs 10, 11, ... each in a folder of its own, with "name" and "command".
count=10
# add NAME FOLDER FILE ARG... takes FILE among them, to be run in FOLDER, which names one of the
# tree.
add() {
  local name=$1 folder=$2 file=$3 dir=$work/guest/programs/$count
  shift 3
  mkdir -p "$dir"
  cp "$file" "$dir/program"
  chmod +x "$dir/program"
  printf '%s\n' "$name" >"$dir/name"
  if [[ -n $native ]]; then
    printf 'cd %q && %q' "$PWD/$folder" "$dir/program"
  else
    mkdir -p "$work/guest/tree/$folder"
    printf 'cd %q && %q' "/tree/$folder" "/programs/$count/program"
  fi >"$dir/command"
  if (($# > 0)); then printf ' %q' "$@"; fi >>"$dir/command"
  ((++count))
}

# Every package with a kernel for AVX-512; its tests hold it against the reference.
kernels=()
if [[ $parts == *" go "* ]]; then
  mapfile -t kernels < <(grep -rl --include='*_amd64.s' AVX512 internal | xargs -r -n 1 dirname | sort -u)
fi
for dir in "${kernels[@]}"; do
  go test -c -o "$work/test" "./$dir"
  add "$dir" "$dir" "$work/test" -test.v -test.short -test.run "${RTBWIRE_AVX512_RUN:-.}"
  for data in testdata/corpus "$dir/testdata"; do # what they read
    if [[ -z $native && -d $data ]]; then mkdir -p "$work/guest/tree/$data" && cp -r "$data/." "$work/guest/tree/$data/"; fi
  done
done
# The packet scanner's, less what takes an emulator too long.
if [[ $parts == *" cpp "* ]]; then
  scripts/cpp.sh static
  filter='Grammar.*:Kernels.*:Strict.*:Evasion.*-Grammar.AllShortNumbers:Strict.JSONTestSuite'
  if [[ -n $native ]]; then filter='*'; fi
  add cpp cpp "${RTBWIRE_CPP_BUILD:-$PWD/cpp/build}/static/tests/scan_test" --gtest_filter="$filter"
fi

if [[ -n $native ]]; then
  echo "this processor has AVX-512"
  for dir in "$work"/guest/programs/*; do
    echo "@@run $(<"$dir/name")"
    bash "$dir/command" 2>&1 && echo '@@exit 0' || echo "@@exit $?"
  done >"$work/output"
  echo '@@end' >>"$work/output"
else
  echo "emulating AVX-512 with Bochs ($CPU)"
  emulate "$work"
fi

# Each test that names its level has to have run at this one. A run that was cut short has failed.
failed=0
grep -aE '^@@run|^@@exit|^ *--- (FAIL|SKIP)|^(PASS|FAIL|panic|fatal error)|level=AVX512|^kernels: ' "$work/output" | grep -av '=== RUN' || true
if ! grep -aq '^@@begin' "$work/output" && [[ -z $native ]]; then
  tail -n 5 "$work/output" "$work/bochs.log" >&2
  die "test-avx512.sh: the emulated machine did not boot"
fi
if ! grep -aq '^@@end' "$work/output"; then
  tail -n 40 "$work/output" >&2
  die "test-avx512.sh: not at an end after $LIMIT seconds, or the emulator died"
fi
if ((${#kernels[@]} > 0)) && ! grep -aq -- '--- PASS: .*level=AVX512' "$work/output"; then
  echo "test-avx512.sh: no test passed at the level AVX512" >&2
  failed=1
fi
if [[ $parts == *" cpp "* ]] && ! grep -aq '^kernels: .*avx512' "$work/output"; then
  echo "test-avx512.sh: the packet scanner was not tested with its kernel for AVX-512" >&2
  failed=1
fi
if grep -a '^@@exit' "$work/output" | grep -avq '^@@exit 0$'; then
  cat "$work/output" >&2
  failed=1
fi
exit "$failed"
