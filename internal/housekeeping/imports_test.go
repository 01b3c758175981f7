package housekeeping

import (
	"strings"
	"testing"
)

// layers say who may import whom: a package imports its own layer and those before it.
// A folder stands for everything below it; the longest match counts. The map is drawn in
// docs/design.md.
var layers = map[string]int{
	"internal":            0,
	"spec":                0, // data, for generators and tests
	"wire":                1,
	"wire/coder":          2,
	"wire/splice":         3,
	"adcom":               4,
	"openrtb":             4,
	"internal/legacy":     5,
	"internal/useragent":  5,
	"gen":                 6,
	"inspect":             6,
	"internal/record":     7,
	"internal/serving":    8,
	"gateway":             9,
	"stream":              9,
	"batch":               9,
	"config":              10,
	"internal/policytest": 11,
	"internal/traffic":    11,
	"cmd":                 12,
	"examples":            13,
}

const programs = 12 // programs import what they like, wherever they live

func layerOf(folder string) (layer int, known bool) {
	for {
		if layer, known = layers[folder]; known {
			return layer, true
		}
		i := strings.LastIndexByte(folder, '/')
		if i < 0 {
			return 0, false
		}
		folder = folder[:i]
	}
}

func TestImportsPointOneWay(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.isTest() {
			continue // tests look down from above when that is the outside truth
		}
		layer, known := layerOf(f.folder())
		if !known {
			t.Errorf("%s: folder %s is in no layer: add it to the table in internal/housekeeping and to docs/design.md", f.name, f.folder())
			continue
		}
		if f.ast.Name.Name == "main" {
			layer = max(layer, programs)
		}
		for _, imported := range f.imports() {
			folder, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			if other, known := layerOf(folder); known && other > layer {
				t.Errorf("%s imports %s, which is above it: move what both need down, or pass it in as a value or an interface", f.name, folder)
			}
		}
	}
}

// light are the packages whose users must inherit nothing, with all they import.
var light = []string{"wire", "wire/coder", "wire/splice", "adcom", "openrtb", "openrtb/native"}

// allowedDependencies are the packages outside of the standard library that they may have.
var allowedDependencies = map[string]bool{
	"golang.org/x/sys/cpu": true,
}

func TestLightPackagesStayLight(t *testing.T) {
	imports := map[string]map[string]string{} // folder -> imported path -> the file that does
	for _, f := range goFiles(t) {
		if f.isTest() || f.ast.Name.Name == "main" {
			continue
		}
		if imports[f.folder()] == nil {
			imports[f.folder()] = map[string]string{}
		}
		for _, imported := range f.imports() {
			imports[f.folder()][imported] = f.name
		}
	}

	reported := map[string]bool{}
	var visit func(folder, from string, seen map[string]bool)
	visit = func(folder, from string, seen map[string]bool) {
		if seen[folder] {
			return
		}
		seen[folder] = true
		for imported, file := range imports[folder] {
			next, ours := strings.CutPrefix(imported, module+"/")
			domain, _, _ := strings.Cut(imported, "/")
			switch {
			case ours && next == "spec":
				t.Errorf("%s imports spec, so every user of %s carries the specification's data: generate what is needed instead", file, from)
			case ours:
				visit(next, from, seen)
			case strings.Contains(domain, ".") && !allowedDependencies[imported] && !reported[file+imported]:
				reported[file+imported] = true
				t.Errorf("%s imports %s, so every user of %s inherits it: move what needs it into a package of its own, above", file, imported, from)
			}
		}
	}
	for _, folder := range light {
		visit(folder, folder, map[string]bool{})
	}
}

func TestNoCgo(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, imported := range f.imports() {
			if imported == "C" {
				t.Errorf(`%s imports "C": write it in Go or assembly, or put the comparison with C into a module of its own`, f.name)
			}
		}
	}
}
