package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// newTestRelease returns a release that writes to a folder of the test.
func newTestRelease(t *testing.T) *release {
	return &release{out: t.TempDir(), scratch: t.TempDir(), version: "v1.2.3", commit: "0123", time: time.Date(2026, 11, 27, 6, 43, 21, 0, time.UTC)}
}

// testFiles are those of an archive.
func testFiles(program []byte) []file {
	return []file{{"rtbwire", modeProgram, program}, {"rtbwire-gen", modeProgram, program}, {"LICENSE", modeFile, []byte("a")}, {"licenses/go/LICENSE", modeFile, []byte("b")}}
}

// TestImage: the same files make the same image, which has both platforms and passes the validation
// of its library.
func TestImage(t *testing.T) {
	var archives [][]byte
	for range 2 {
		r := newTestRelease(t)
		built := map[platform][]file{{"linux", "amd64"}: testFiles([]byte("one")), {"linux", "arm64"}: testFiles([]byte("two")), {"darwin", "arm64"}: testFiles(nil)}
		if err := r.image(built); err != nil {
			t.Fatal(err)
		}
		archive, err := os.ReadFile(filepath.Join(r.out, "rtbwire_v1.2.3_image.tar"))
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, archive)

		top := readJSON(t, r, "index.json")
		if got := top["manifests"].([]any)[0].(map[string]any)["annotations"]; fmt.Sprint(got) != "map[org.opencontainers.image.ref.name:v1.2.3]" {
			t.Errorf("the annotations of the image are %v", got)
		}
		index := readJSON(t, r, blob(top, 0))
		var found []string
		for i, m := range index["manifests"].([]any) {
			found = append(found, fmt.Sprint(m.(map[string]any)["platform"]))
			manifest := readJSON(t, r, blob(index, i))
			if layers := manifest["layers"].([]any); len(layers) != 2 {
				t.Errorf("%d layers, want 2", len(layers))
			}
		}
		if want := []string{"map[architecture:amd64 os:linux]", "map[architecture:arm64 os:linux]"}; !slices.Equal(found, want) {
			t.Errorf("platforms %v, want %v", found, want)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same files make two images")
	}
}

// readJSON reads a file of the layout.
func readJSON(t *testing.T, r *release, name string) (v map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.scratch, "image", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// blob is the name of the file that an index lists.
func blob(index map[string]any, i int) string {
	digest := index["manifests"].([]any)[i].(map[string]any)["digest"].(string)
	return "blobs/" + strings.ReplaceAll(digest, ":", "/")
}

// TestImageLimit: an image that has become too large is refused, with the place to look.
func TestImageLimit(t *testing.T) {
	large := make([]byte, layersMiBMax<<20)
	err := newTestRelease(t).image(map[platform][]file{{"linux", "amd64"}: testFiles(large)})
	if err == nil || !strings.Contains(err.Error(), "docs/decisions/0024-size.md") {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat("../../../docs/decisions/0024-size.md"); err != nil {
		t.Error(err)
	}
}

// TestCheck: a file that was changed is noticed, and one that is missing.
func TestCheck(t *testing.T) {
	r := newTestRelease(t)
	if err := r.image(map[platform][]file{{"linux", "amd64"}: testFiles([]byte("one"))}); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(r.scratch, "image")
	checked := func() error {
		files, err := read(folder)
		if err != nil {
			t.Fatal(err)
		}
		return check(folder, files)
	}
	if err := checked(); err != nil {
		t.Fatal(err)
	}
	manifest := blob(readJSON(t, r, blob(readJSON(t, r, "index.json"), 0)), 0)
	name := filepath.Join(folder, filepath.FromSlash(manifest))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, ' '), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checked(); err == nil || !strings.Contains(err.Error(), manifest) {
		t.Errorf("a changed manifest: %v", err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := checked(); err == nil {
		t.Error("a missing manifest passes")
	}
}

// TestDockerfile: docker builds an image that runs the same.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../../../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	line := func(form string) string {
		m := regexp.MustCompile(`(?m)^` + form + `$`).FindSubmatch(text)
		if m == nil {
			t.Fatalf("the Dockerfile has no %s", form)
		}
		return string(m[1])
	}
	list := func(form string) (words []string) {
		if err := json.Unmarshal([]byte(line(form)), &words); err != nil {
			t.Fatal(err)
		}
		return words
	}
	c := newTestRelease(t).config()
	h := c.Healthcheck
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"user", c.User, line(`USER (.*)`)},
		{"signal", c.StopSignal, line(`STOPSIGNAL (.*)`)},
		{"entry point", c.Entrypoint, list(`ENTRYPOINT (.*)`)},
		{"arguments", c.Cmd, list(`CMD (.*)`)},
		{"health check", h.Test, append([]string{"CMD"}, list(`HEALTHCHECK .*CMD (.*)`)...)},
		{"times of the health check", fmt.Sprintf("--interval=%v --timeout=%v --start-period=%v ", h.Interval, h.Timeout, h.StartPeriod), line(`HEALTHCHECK (.*)CMD .*`)},
		{"ports", strings.ReplaceAll(strings.Join(slices.Sorted(maps.Keys(c.ExposedPorts)), " "), "/tcp", ""), line(`EXPOSE (.*)`)},
	} {
		if fmt.Sprint(tt.got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: the image has %v, the Dockerfile %v", tt.what, tt.got, tt.want)
		}
	}
	for _, m := range regexp.MustCompile(`(org\.opencontainers\.image\.\w+)="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		if c.Labels[m[1]] != m[2] {
			t.Errorf("the image has %s %q, the Dockerfile %q", m[1], c.Labels[m[1]], m[2])
		}
	}
}

// TestRoots: the file has certificates that Go reads.
func TestRoots(t *testing.T) {
	text, err := roots()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		n++
		if c, err := x509.ParseCertificate(block.Bytes); err != nil || !c.IsCA {
			t.Errorf("certificate %d: %v", n, err)
		}
	}
	if n < 100 {
		t.Errorf("%d authorities, want at least 100", n)
	}
}
