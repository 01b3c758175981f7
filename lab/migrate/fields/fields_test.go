package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the expected page")

func load2(t *testing.T, dirs ...string) *model {
	t.Helper()
	m, err := load(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func own(t *testing.T) *model { return load2(t, "../../"+ownTypes, "../../"+ownLists) }

// small is a part of rtbwire's model, so that the page changes only with the fields in it.
func small(t *testing.T, theirs *model) *model {
	m := own(t)
	var some []*object
	for i, name := range []string{"BidRequest", "Imp", "Video", "UserAgent", "BrandVersion"} {
		o := m.find(name)
		other := theirs.structs[i] // the same one
		o.fields = slices.DeleteFunc(o.fields, func(f field) bool { return f.key != "tmax" && f.key != "version" && other.field(f.key) == nil })
		some = append(some, o)
	}
	m.structs = some
	return m
}

// TestPage compares the page about the test package with the expected one.
func TestPage(t *testing.T) {
	const golden = "testdata/other.md"
	theirs := load2(t, "testdata/other")
	got := compare(theirs, small(t, theirs)).markdown()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("not what %s has; after a change that is meant, run the test with -update; got:\n%s", golden, got)
	}
}

// TestGroupsAreExplained looks for the groups of the page in lab/docs/migration.md.
func TestGroupsAreExplained(t *testing.T) {
	page := compare(load2(t, "testdata/other"), own(t)).markdown()
	text, err := os.ReadFile("../../docs/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(page) {
		name, isGroup := strings.CutPrefix(strings.TrimSpace(line), "## ")
		if !isGroup || strings.HasPrefix(name, "Only in") || name == "The mechanical part" {
			continue
		}
		n++
		if !bytes.Contains(text, []byte("\n| "+name+" | ")) {
			t.Errorf("lab/docs/migration.md does not explain %s", name)
		}
	}
	if n != 7 {
		t.Errorf("the test package shows %d groups, want all 7", n)
	}
}

// TestSame compares rtbwire's types with themselves.
func TestSame(t *testing.T) {
	m := own(t)
	r := compare(m, m)
	if r.types < 30 || r.same != r.fields || len(r.renamedTypes)+len(r.renamedFields)+len(r.retyped)+len(r.onlyHere)+len(r.onlyThere) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestScript runs the commands on a program.
func TestScript(t *testing.T) {
	for _, program := range []string{"sh", "gofmt", "sed", "find"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "x.go")
	before := "package x\n\nfunc f(r *rtb2.BidRequest, a *rtb2.Agent) { g(r.BlkCat, a.Arch) }\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-ec", compare(load2(t, "testdata/other"), own(t)).script())
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(file)
	want := "package x\n\nfunc f(r *openrtb.BidRequest, a *openrtb.UserAgent) { g(r.BCat, a.Architecture) }\n"
	if err != nil || !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestNothingToRead(t *testing.T) {
	if _, err := load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no Go files") {
		t.Error(err)
	}
}

// TestRenamesInOrder: a field whose new name another field still has is renamed after that one.
func TestRenamesInOrder(t *testing.T) {
	bid := &object{name: "Bid", fields: []field{{name: "APIS"}, {name: "APIs"}}}
	r := result{
		theirs:        &model{name: "rtb", structs: []*object{bid}},
		ours:          &model{name: "rtb"},
		renamedFields: [][2]string{{"Bid.APIS", "APIs"}, {"Bid.APIs", "API"}},
	}
	const want = "gofmt -w -r 'a.APIs -> a.API' .\ngofmt -w -r 'a.APIS -> a.APIs' ."
	if got := r.script(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
