package main

import (
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/profile"
)

// functions are those whose shares are measured.
var functions = []struct {
	engine, name string
	match        *regexp.Regexp
}{
	{"encoding-json", "indirect", regexp.MustCompile(`^encoding/json\.indirect$`)},
	{"encoding-json", "unquotebytes", regexp.MustCompile(`^encoding/json\.(\(\*decodeState\)\.)?unquoteBytes$`)},
	{"encoding-json", "checkvalid", regexp.MustCompile(`^encoding/json\.checkValid$`)},
	{"gojson", "strings-and-keys", regexp.MustCompile(`go-json/internal/decoder\.\(\*(stringDecoder\)\.Decode|structDecoder\)\.decodeKey)$`)},
	{"gojson", "memory", regexp.MustCompile(`^runtime\.mallocgc$`)},
}

// profiles writes profile.START.json, shares of the processor time of decoding the banner request,
// of all samples, as "go tool pprof -top" shows them:
//
//	profile/ENGINE/FUNCTION/flat                    what the function takes itself
//	profile/ENGINE/FUNCTION/cumulative              with all that it calls
//	profile/encoding-json/indirect/over-checkvalid  what indirect takes over what the validation takes
//	profile/gojson/memory/over-strings-and-keys     what allocation takes over what those take
func profiles(folder string, quick bool) error {
	times, length := 7, 6*time.Second
	f := figures.Begin("cd lab && go run ./claims profile")
	if quick {
		times, length = 3, time.Second
		f.Preliminarily("three profiles of a second each")
	}
	sets, err := data.Load("")
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "rtbwire-claims-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	found := map[string][]float64{}
	for range times {
		for _, name := range []string{"encoding-json", "gojson"} {
			file := filepath.Join(temporary, name)
			o := profile.Options{Engine: name, Set: "banner", Op: "decode", Kind: "cpu", For: length, Out: file, Top: 1}
			if err := profile.Run(&measure.Bench{Engines: engine.All(), Sets: sets}, o, io.Discard); err != nil {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			p, err := pprof.ParseData(text)
			if err != nil {
				return err
			}
			for _, fn := range functions {
				if fn.engine == name {
					flat, cumulative := profile.Shares(p, fn.match)
					found["profile/"+name+"/"+fn.name+"/flat"] = append(found["profile/"+name+"/"+fn.name+"/flat"], flat)
					found["profile/"+name+"/"+fn.name+"/cumulative"] = append(found["profile/"+name+"/"+fn.name+"/cumulative"], cumulative)
				}
			}
		}
	}
	for _, pair := range [][2]string{
		{"profile/encoding-json/indirect/", "checkvalid"}, {"profile/gojson/memory/", "strings-and-keys"},
	} {
		of, with := found[pair[0]+"cumulative"], found[path.Dir(path.Clean(pair[0]))+"/"+pair[1]+"/cumulative"]
		for i := range of {
			found[pair[0]+"over-"+pair[1]] = append(found[pair[0]+"over-"+pair[1]], of[i]/with[i])
		}
	}
	for _, name := range names(sources()) {
		if values := found[name]; values != nil && !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			v, lo, hi := measure.Median(values)
			f.Figures[name] = figures.Figure{Value: v, Lo: lo, Hi: hi, Rounds: len(values)}
		}
	}
	return f.End(figures.PathOf(filepath.Join(folder, "profile.json"), f.Taken))
}
