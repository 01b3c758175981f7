package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// chart is the folder of the Helm chart.
const chart = deployFolder + "/helm/rtbwire"

// helmProgram is what RTBWIRE_HELM names: the leg deploy of "make verify" builds it.
func helmProgram(t *testing.T) string {
	t.Helper()
	program := os.Getenv("RTBWIRE_HELM")
	if program == "" {
		t.Skip("RTBWIRE_HELM names no helm")
	}
	return program
}

// helm runs helm.
func helm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(helmProgram(t), args...).Output()
	if err != nil {
		if exit, is := errors.AsType[*exec.ExitError](err); is {
			t.Logf("%s", exit.Stderr)
		}
		t.Fatalf("helm %v: %v", args, err)
	}
	return string(out)
}

// objects returns the Kubernetes objects of a text, by kind and name.
func objects(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for document := range strings.SplitSeq("\n"+text, "\n---\n") {
		var o map[string]any
		if err := yaml.UnmarshalWithOptions([]byte(document), &o, yaml.Strict()); err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		if o != nil && o["kind"] != "Kustomization" {
			all[fmt.Sprint(o["kind"], "/", at(t, o, "metadata", "name"))] = o
		}
	}
	return all
}

// kustomized returns the objects of the folders of manifests.
func kustomized(t *testing.T, folders ...string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(deployFolder, folder, "*.yaml"))
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			maps.Copy(all, objects(t, deployFile(t, folder+"/"+filepath.Base(name))))
		}
	}
	return all
}

// helmLabels are on the objects of a chart alone.
var helmLabels = []string{"app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart"}

// plainObject removes the labels of Helm, wherever they are, and reads configurations: in which
// order keys are, and what comments say, makes no difference.
func plainObject(t *testing.T, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if slices.Contains(helmLabels, key) {
				delete(v, key)
				continue
			}
			if text, ok := value.(string); ok && key == "rtbwire.yaml" {
				var config map[string]any
				if err := yaml.Unmarshal([]byte(text), &config); err != nil {
					t.Fatal(err)
				}
				value = config
			}
			v[key] = plainObject(t, value)
		}
	case []any:
		for i := range v {
			v[i] = plainObject(t, v[i])
		}
	}
	return v
}

// TestDeployHelm: without values of one's own, the chart makes the objects of the manifests.
func TestDeployHelm(t *testing.T) {
	for _, tt := range []struct {
		name    string
		args    []string
		folders []string
	}{
		{"gateway", nil, []string{"kubernetes"}},
		{"stream", []string{"--set", "stream.enabled=true", "--set", "gateway.enabled=false"}, []string{"kubernetes/stream"}},
		{"both", []string{"--set", "stream.enabled=true"}, []string{"kubernetes", "kubernetes/stream"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := objects(t, helm(t, append([]string{"template", "rtbwire", chart}, tt.args...)...))
			want := kustomized(t, tt.folders...)
			if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
				t.Fatalf("the chart makes %v, the manifests have %v", g, w)
			}
			for name := range want {
				if g, w := plainObject(t, got[name]), plainObject(t, want[name]); !reflect.DeepEqual(g, w) {
					t.Errorf("%s: the chart makes\n%s\nthe manifests have\n%s", name, indented(t, g), indented(t, w))
				}
			}
		})
	}
}

// indented is for people to compare.
func indented(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDeployHelmValues: values reach the objects, and two releases don't share pods.
func TestDeployHelmValues(t *testing.T) {
	folder := t.TempDir()
	config, list := filepath.Join(folder, "rtbwire.yaml"), filepath.Join(folder, "domains.txt")
	replace(t, config, "version: 1\ngateway: {listen: \":8080\", upstreams: [\"http://b:9000\"], max_body: 1000000}\n")
	replace(t, list, "a.example\nb.example\n")
	digest := "sha256:" + strings.Repeat("01", 32)
	all := objects(t, helm(t, "template", "east", chart,
		"--set-file", "gateway.config="+config, "--set-file", `gateway.files.domains\.txt=`+list,
		"--set", "image.digest="+digest, "--set", "gateway.network.enabled=false", "--set", "adminSecret=other",
		"--set-json", `gateway.extraVolumes=[{"name":"geo","persistentVolumeClaim":{"claimName":"geo"}}]`,
		"--set-json", `gateway.extraVolumeMounts=[{"name":"geo","mountPath":"/geo","readOnly":true}]`))
	data := at(t, all["ConfigMap/east-rtbwire"], "data")
	if got := at(t, data, "rtbwire.yaml").(string); !strings.Contains(got, "max_body: 1000000}") {
		t.Errorf("the configuration is %q", got)
	}
	if got := at(t, data, "domains.txt"); got != "a.example\nb.example\n" && got != "a.example\nb.example" {
		t.Errorf("the list is %q", got)
	}
	pod := at(t, all["Deployment/east-rtbwire"], "spec", "template", "spec")
	if got := at(t, pod, "containers", 0, "image"); got != "registry.example/rtbwire@"+digest {
		t.Errorf("the image is %v", got)
	}
	if got := at(t, pod, "volumes", 1, "secret", "secretName"); got != "other" {
		t.Errorf("the secret is %v", got)
	}
	if at(t, pod, "volumes", 2, "name") != "geo" || at(t, pod, "containers", 0, "volumeMounts", 2, "mountPath") != "/geo" {
		t.Errorf("the volume is not mounted: %v", pod)
	}
	if got := at(t, all["Service/east-rtbwire"], "spec", "selector", "app.kubernetes.io/instance"); got != "east" {
		t.Errorf("the service selects the instance %v", got)
	}
	if _, ok := all["NetworkPolicy/east-rtbwire"]; ok {
		t.Error("there is a policy")
	}
}

// TestDeployHelmMisspelt: a value that no template reads is refused.
func TestDeployHelmMisspelt(t *testing.T) {
	for value, want := range map[string]string{
		"gatway.enabled=true": "gatway", "gateway.enable=true": "enable", "gateway.autoscaling.min=3": "min", "image.digest=latest": "digest", "adminSecret=": "adminSecret",
	} {
		out, err := exec.Command(helmProgram(t), "template", "rtbwire", chart, "--set", value).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("--set %s: %v: %s", value, err, out)
		}
	}
}
