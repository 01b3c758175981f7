#!/usr/bin/env bash
# Builds a release twice, in two folders and with two build caches, and compares the bytes. Then it
# looks at what was built with the programs that will: sha256sum, man, shells, a validator of
# CycloneDX's format (from PyPI), and buildah, which runs the image.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly CYCLONEDX=11.12.0 # cyclonedx-python-lib

need dist
need_go
((EUID == 0)) || left_out "buildah without a user namespace takes root"
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

echo "== two builds"
commit_tree "$scratch/one"
mkdir -p "$scratch/elsewhere/two"
cp -a "$scratch/one/." "$scratch/elsewhere/two"
"$scratch/one/scripts/dist.sh"
(
  umask 077
  GOCACHE=$scratch/cache TZ=Asia/Tokyo LC_ALL=C "$scratch/elsewhere/two/scripts/dist.sh" >/dev/null
)
diff -r "$scratch/one/dist" "$scratch/elsewhere/two/dist" || die "the two builds differ"
dist=$scratch/one/dist
commit=$(git -C "$scratch/one" rev-parse HEAD)
version=devel-${commit::12}

echo "== archives"
(cd "$dist" && sha256sum --check --quiet SHA256SUMS && grep -vc '^$' SHA256SUMS)
host=$(go env GOOS)_$(go env GOARCH)
for platform in linux_amd64 linux_arm64 darwin_amd64 darwin_arm64; do
  name=rtbwire_${version}_$platform
  tar -xzf "$dist/$name.tar.gz" -C "$scratch"
  for program in rtbwire rtbwire-gen; do
    # Every module that is linked has a licence in the archive, and a row in the list.
    go version -m "$scratch/$name/$program" | awk '$1 == "dep" { print $2 "@" $3 }' >"$scratch/modules"
    [[ -s $scratch/modules ]] || die "$name/$program: go version -m lists no module"
    while IFS= read -r module; do
      compgen -G "$scratch/$name/licenses/$module/*" >/dev/null || die "$name: no licence of $module"
      grep -qiF "\"pkg:golang/$module" "$scratch/$name/$program.cdx.json" || die "$name/$program.cdx.json lacks $module"
    done <"$scratch/modules"
  done
  echo "$name: $(find "$scratch/$name" -type f | wc -l) files, $(wc -l <"$scratch/modules") modules in rtbwire-gen"
done
unpacked=$scratch/rtbwire_${version}_$host
[[ $("$unpacked/rtbwire" --version) == "rtbwire $version" ]] || die "the program says it is $("$unpacked/rtbwire" --version)"
"$unpacked/rtbwire" version --format json | grep -q "\"commit\": \"$commit\"" || die "the program does not know its commit"
"$unpacked/rtbwire-gen" --version

echo "== manual pages and completions"
for page in "$unpacked"/man/man1/*; do
  mandoc -T lint -W warning "$page" || die "$page: mandoc has complaints"
done
[[ $(man -l "$unpacked/man/man1/rtbwire-policy-test.1") == *"--format text|json|junit"* ]] || die "the manual page lacks a flag"
bash -n "$unpacked/completions/bash/rtbwire"
zsh -n "$unpacked/completions/zsh/_rtbwire"
fish -n "$unpacked/completions/fish/rtbwire.fish"
# What a shell would offer for "rtbwire policy t<TAB>".
offered=$(PATH=$unpacked:$PATH fish -c "source $unpacked/completions/fish/rtbwire.fish; complete -C 'rtbwire policy t'")
[[ $offered == test* ]] || die "fish offers $offered for policy t"

echo "== lists of modules"
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check "cyclonedx-python-lib[json-validation]==$CYCLONEDX" ||
  left_out "cyclonedx-python-lib: pip could not install it"
"$scratch/venv/bin/python" - "$dist"/*.cdx.json <<'PYTHON'
import json
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for name in sys.argv[1:]:
    text = open(name).read()
    bom = json.loads(text)
    if error := JsonStrictValidator(SchemaVersion.from_version(bom["specVersion"])).validate_str(text):
        sys.exit(f"{name}: {error}")
    unlicensed = [c["name"] for c in bom["components"] if c["type"] == "library" and not c.get("licenses") and not c.get("evidence")]
    if unlicensed:
        sys.exit(f"{name}: no licence of {unlicensed}")
    print(name.rsplit("/", 1)[1], bom["specVersion"], len(bom["components"]), "components")
PYTHON

echo "== image"
image() { buildah --root "$scratch/images" --runroot "$scratch/run" --storage-driver vfs "$@"; }
id=$(image pull --quiet "oci-archive:$dist/rtbwire_${version}_image.tar")
container=$(image from "$id")
mounted=$(image mount "$container")
cmp "$mounted/rtbwire" "$scratch/rtbwire_${version}_linux_$(go env GOARCH)/rtbwire"
[[ -s $mounted/etc/ssl/certs/ca-certificates.crt && -s $mounted/licenses/LICENSE ]] || die "the image lacks authorities, or licences"
image inspect --format '{{.Docker.Config.User}} {{.Docker.Config.Entrypoint}} {{.Docker.Config.Cmd}}' "$container"
image run --isolation chroot "$container" -- /rtbwire version
image run --isolation chroot "$container" -- /rtbwire serve --check --upstream https://auction.example
image umount "$container" >/dev/null
