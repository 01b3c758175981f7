package gen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// This file is about packages with more than one generated file.

const twoTypes = `package main

type View struct {
	ID    string
	Where *Place
	Near  []Place
}

type Click struct {
	N    int
	Here Place
	Back *View
}

type Place struct {
	X, Y int
	Tags []string
}
`

const twoMain = `package main

import "fmt"

func main() {
	view, err := ParseViewFastArena([]byte("{\"ID\":\"v\",\"Where\":{\"X\":1,\"Y\":2},\"Near\":[{\"Tags\":[\"a\"]}]}"))
	if err != nil {
		panic(err)
	}
	click, err := NewClickDecoder().Decode([]byte("{\"N\":7,\"Here\":{\"X\":3},\"Back\":{\"ID\":\"b\"}}"))
	if err != nil {
		panic(err)
	}
	kept := click.Clone()
	kept.Here.Y = view.Where.Y
	for _, v := range []interface{ AppendJSON([]byte) ([]byte, error) }{view, kept, &kept.Here, kept.Back} {
		out, err := v.AppendJSON(nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(out))
	}
	ReleaseViewArena(view)
}
`

const twoOutput = `{"ID":"v","Where":{"X":1,"Y":2,"Tags":null},"Near":[{"X":0,"Y":0,"Tags":["a"]}]}
{"N":7,"Here":{"X":3,"Y":2,"Tags":null},"Back":{"ID":"b","Where":null,"Near":null}}
{"X":3,"Y":2,"Tags":null}
{"ID":"b","Where":null,"Near":null}
`

// TestTwoOutputs generates two files in one package, in both orders, whose roots share types, and
// one of which is in the other. The package compiles and works, and neither file changes when it is
// generated again.
func TestTwoOutputs(t *testing.T) {
	t.Parallel()
	for _, outputs := range [][]Config{
		{{Types: []string{"View"}, Output: OutputDefault}, {Types: []string{"Click"}, Output: "clicks_gen.go"}},
		{{Types: []string{"Click"}, Output: "2_clicks_codec.go"}, {Types: []string{"View"}, Output: "view.go"}},
	} {
		dir := moduleFolder(t, map[string]string{"types.go": twoTypes, "main.go": twoMain})
		var texts [][]byte
		for round := range 2 {
			for i, c := range outputs {
				c.Dir = dir
				src, err := Generate(c)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, c.Output), src, 0o600); err != nil {
					t.Fatal(err)
				}
				if round == 0 {
					texts = append(texts, src)
				} else if line := firstDifference(src, texts[i]); line != 0 {
					t.Errorf("%s, generated again, differs from line %d on", c.Output, line)
				}
			}
		}
		if n := strings.Count(string(texts[0])+string(texts[1]), "\nfunc (v *Place) AppendJSON("); n != 1 {
			t.Errorf("the shared type has %d methods AppendJSON", n)
		}
		run := exec.Command("go", "run", ".")
		run.Dir = dir
		if out, err := run.CombinedOutput(); err != nil || string(out) != twoOutput {
			t.Errorf("%v, the program prints\n%s", err, out)
		}
	}
}

// TestSameNamesTwice has two files whose names come down to the same, and a root that has its
// functions already.
func TestSameNamesTwice(t *testing.T) {
	t.Parallel()
	dir := moduleFolder(t, map[string]string{"types.go": twoTypes})
	if err := Write(Config{Dir: dir, Types: []string{"View"}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Types: []string{"Click"}, Output: "codec.go"}, "choose an output name"},
		{Config{Types: []string{"View"}, Output: "view_gen.go"}, "declares ParseView"},
	} {
		c.config.Dir = dir
		if _, err := Generate(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.config.Output, err, c.want)
		}
	}
}

func TestPrefix(t *testing.T) {
	for output, want := range map[string]string{
		"codec_gen.go": "", "gen.go": "", "codec.go": "", "clicks_gen.go": "clicks", "Clicks.go": "clicks", "click_events-codec.go": "clickEvents",
		"2_clicks.go": "x2Clicks", "größe_gen.go": "größe", "codecs.go": "codecs",
	} {
		if got := prefixOf(output); got != want {
			t.Errorf("%s: %q, want %q", output, got, want)
		}
	}
}

// moduleFolder writes a package in this module, so that it can import the others, and returns its
// folder.
func moduleFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := os.MkdirTemp("testdata", "temporary") //nolint:usetesting // it has to be in the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
