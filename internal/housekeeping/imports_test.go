package housekeeping

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers say who may import whom: a package imports its own layer and those before it.
// A folder stands for everything below it; the longest match counts. The map is drawn in
// docs/design.md.
var layers = map[string]int{
	"internal":               0,
	"spec":                   0, // data, for generators and tests
	"wire":                   1,
	"wire/coder":             2,
	"wire/splice":            3,
	"adcom":                  4,
	"openrtb":                4,
	"internal/legacy":        5,
	"internal/useragent":     5,
	"gen":                    6,
	"inspect":                6,
	"internal/record":        7,
	"internal/explanation":   7,
	"internal/verdictchange": 7,
	"internal/serving":       8,
	"gateway":                9,
	"stream":                 9,
	"batch":                  9,
	"internal/lines":         9,
	"internal/verdictlog":    10,
	"config":                 11,
	"internal/policydiff":    12,
	"internal/policytest":    12,
	"internal/traffic":       12,
	"cmd":                    13,
	"examples":               14,
}

const programs = 13 // programs import what they like, wherever they live

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

// frontEnds are the ways in. What two of them need is below both, in internal/serving.
var frontEnds = []string{"gateway", "stream", "batch"}

func frontEndOf(folder string) string {
	for _, name := range frontEnds {
		if folder == name || strings.HasPrefix(folder, name+"/") {
			return name
		}
	}
	return ""
}

func TestFrontEndsStandAlone(t *testing.T) {
	for _, f := range goFiles(t) {
		own := frontEndOf(f.folder())
		if own == "" || f.isTest() {
			continue
		}
		for _, imported := range f.imports() {
			folder, ours := strings.CutPrefix(imported, module+"/")
			if other := frontEndOf(folder); ours && other != "" && other != own {
				t.Errorf("%s imports %s: front ends import none of each other; move what both need into internal/serving", f.name, folder)
			}
		}
	}
}

// The chain in docs/design.md is the table of layers, in its order.
func TestDesignDrawsTheLayers(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chain, found := strings.Cut(string(data), "Imports point one way, and a test holds that:")
	chain, _, ended := strings.Cut(strings.TrimSpace(chain), "\n\n")
	if !found || !ended {
		t.Fatal("docs/design.md has no chain of imports")
	}
	drawn := map[string]bool{}
	last := -1
	for floor := range strings.SplitSeq(chain, "<-") {
		level := -1
		for name := range strings.SplitSeq(floor, ",") {
			name = strings.TrimSuffix(strings.TrimSpace(name), "/*")
			layer, known := layers[name]
			switch {
			case !known:
				t.Errorf("docs/design.md draws %s, which is in no layer", name)
			case layer <= last || level >= 0 && layer != level:
				t.Errorf("docs/design.md draws %s on the wrong floor", name)
			}
			level = max(level, layer)
			drawn[name] = true
		}
		last = level
	}
	for name := range layers {
		if !drawn[name] {
			t.Errorf("docs/design.md does not draw %s", name)
		}
	}
}

// TestDesignNamesTheFolders looks for the folders of the root, of inspect and of internal in the
// map.
func TestDesignNamesTheFolders(t *testing.T) {
	skipVariant(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	err = walk(func(name string) error {
		parts := strings.Split(name, "/")
		if len(parts) > 1 && parts[0][0] != '.' {
			folders[parts[0]] = true
		}
		if len(parts) > 2 && (parts[0] == "internal" || parts[0] == "inspect") && parts[1] != "testdata" {
			folders[parts[0]+"/"+parts[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range folders {
		if !strings.Contains(string(text), "`"+name+"/") {
			t.Errorf("docs/design.md does not name %s: add it to the map", name)
		}
	}
}

// TestOneFirstSentence compares what the README, and the map of the code, say that rtbwire is.
func TestOneFirstSentence(t *testing.T) {
	skipVariant(t)
	var said []string
	for _, name := range []string{"README.md", "docs/design.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		paragraphs := strings.SplitN(string(text), "\n\n", 3)
		if len(paragraphs) < 3 {
			t.Fatalf("%s has no first paragraph", name)
		}
		said = append(said, strings.Join(strings.Fields(paragraphs[1]), " "))
	}
	if said[0] != said[1] {
		t.Errorf("README.md begins\n%s\ndocs/design.md begins\n%s\nwant the same sentence", said[0], said[1])
	}
}

// readmeLinesMax keeps the README something that is read in a minute.
const readmeLinesMax = 90

func TestREADMEIsShort(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n > readmeLinesMax {
		t.Errorf("README.md has %d lines, expected at most %d: move depth to docs/ and link to it", n, readmeLinesMax)
	}
}

// inherited are the modules that users of a package get, for each package that documents recommend:
// what the package imports, and what that imports.
var inherited = map[string][]string{
	"adcom":           nil,
	"openrtb":         {"golang.org/x/sys"},
	"openrtb/native":  {"golang.org/x/sys"},
	"wire":            {"golang.org/x/sys"},
	"wire/coder":      {"golang.org/x/sys"},
	"wire/splice":     {"golang.org/x/sys"},
	"spec":            nil,
	"inspect":         {"golang.org/x/sys"},
	"inspect/fraud":   {"golang.org/x/sys"},
	"inspect/lookup":  {"golang.org/x/sys"},
	"inspect/payload": {"golang.org/x/sys"},
	"inspect/rule":    {"golang.org/x/sys"},
	"inspect/schema":  {"golang.org/x/sys"},
	"inspect/scrub":   {"golang.org/x/sys"},
	"inspect/vendor":  {"golang.org/x/sys"},
	"inspect/window":  {"golang.org/x/sys"},
	"inspect/policy": {
		"cel.dev/cel-go", "cel.dev/expr", "github.com/antlr4-go/antlr/v4", "go.yaml.in/yaml/v3", "golang.org/x/exp",
		"golang.org/x/sys", "google.golang.org/genproto/googleapis/api", "google.golang.org/genproto/googleapis/rpc",
		"google.golang.org/protobuf",
	},
	"inspect/lists":  {"github.com/fsnotify/fsnotify", "golang.org/x/net", "golang.org/x/sys", "golang.org/x/text"},
	"inspect/rates":  {"github.com/fsnotify/fsnotify", "golang.org/x/sys"},
	"inspect/geoip":  {"github.com/fsnotify/fsnotify", "github.com/oschwald/maxminddb-golang/v2", "golang.org/x/sys"},
	"inspect/supply": {"github.com/fsnotify/fsnotify", "golang.org/x/net", "golang.org/x/sys", "golang.org/x/text"},
	"config": {
		"cel.dev/cel-go", "cel.dev/expr", "github.com/antlr4-go/antlr/v4", "github.com/fsnotify/fsnotify", "github.com/goccy/go-yaml",
		"github.com/oschwald/maxminddb-golang/v2", "go.yaml.in/yaml/v3", "golang.org/x/exp", "golang.org/x/net", "golang.org/x/sys",
		"golang.org/x/text", "google.golang.org/genproto/googleapis/api", "google.golang.org/genproto/googleapis/rpc",
		"google.golang.org/protobuf",
	},
	"gen": {"golang.org/x/mod", "golang.org/x/sync", "golang.org/x/sys", "golang.org/x/tools"},
	"gateway": {
		"github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/klauspost/compress", "github.com/molecule-man/go-brrr",
		"github.com/munnerz/goautoneg", "github.com/prometheus/client_golang", "github.com/prometheus/client_model",
		"github.com/prometheus/common", "github.com/prometheus/procfs", "github.com/valyala/bytebufferpool",
		"github.com/valyala/fasthttp", "golang.org/x/sys", "google.golang.org/protobuf",
	},
	"gateway/capture": {"golang.org/x/sys"},
	"stream": {
		"github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/munnerz/goautoneg",
		"github.com/prometheus/client_golang", "github.com/prometheus/client_model", "github.com/prometheus/common",
		"github.com/prometheus/procfs", "golang.org/x/sys", "google.golang.org/protobuf",
	},
	"stream/upstream": {
		"github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/klauspost/compress", "github.com/molecule-man/go-brrr",
		"github.com/munnerz/goautoneg", "github.com/prometheus/client_golang", "github.com/prometheus/client_model",
		"github.com/prometheus/common", "github.com/prometheus/procfs", "github.com/valyala/bytebufferpool",
		"github.com/valyala/fasthttp", "golang.org/x/sys", "google.golang.org/protobuf",
	},
	"stream/kafka": {
		"github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/klauspost/compress", "github.com/munnerz/goautoneg",
		"github.com/pierrec/lz4/v4", "github.com/prometheus/client_golang", "github.com/prometheus/client_model",
		"github.com/prometheus/common", "github.com/prometheus/procfs", "github.com/twmb/franz-go",
		"github.com/twmb/franz-go/pkg/kadm", "github.com/twmb/franz-go/pkg/kmsg", "golang.org/x/sys", "google.golang.org/protobuf",
	},
	"stream/files": {
		"github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/munnerz/goautoneg",
		"github.com/prometheus/client_golang", "github.com/prometheus/client_model", "github.com/prometheus/common",
		"github.com/prometheus/procfs", "golang.org/x/sys", "google.golang.org/protobuf",
	},
	"batch": {"github.com/klauspost/compress", "golang.org/x/sys"},
}

// TestUsersInheritWhatIsListed compares the table with what go list says.
func TestUsersInheritWhatIsListed(t *testing.T) {
	skipVariant(t)
	patterns := make([]string, 0, len(inherited))
	for _, folder := range slices.Sorted(maps.Keys(inherited)) {
		patterns = append(patterns, "./"+folder)
	}
	modules, imports := closure(t, patterns)
	for folder, want := range inherited {
		got := map[string]bool{}
		seen := map[string]bool{}
		var visit func(imported, from string)
		visit = func(imported, from string) {
			if seen[imported] {
				return
			}
			seen[imported] = true
			if imported == module+"/spec" && folder != "spec" {
				t.Errorf("%s imports spec, so every user of %s carries the specification's data: generate what is needed instead", from, folder)
			}
			if m := modules[imported]; m != "" && m != module {
				if !slices.Contains(want, m) && !got[m] {
					t.Errorf("%s imports %s, so every user of %s inherits %s: move what needs it into a package above, or ask for it through an interface (inspect/lookup)",
						from, imported, folder, m)
				}
				got[m] = true
			}
			for _, next := range imports[imported] {
				visit(next, imported)
			}
		}
		visit(module+"/"+folder, "")
		for _, m := range want {
			if !got[m] {
				t.Errorf("users of %s no longer inherit %s: take it from the table", folder, m)
			}
		}
	}
}

// closure returns the module and the imports of each package that some packages need.
func closure(t *testing.T, patterns []string) (modules map[string]string, imports map[string][]string) {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-deps", "-f", `{{.ImportPath}} {{with .Module}}{{.Path}}{{else}}-{{end}} {{join .Imports " "}}`}, patterns...)...)
	list.Dir = root
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64") // some modules are of one system
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules, imports = map[string]string{}, map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if fields[1] != "-" {
			modules[fields[0]] = fields[1]
		}
		imports[fields[0]] = fields[2:]
	}
	if len(modules) < len(patterns) {
		t.Fatalf("go list names %d packages, want at least %d", len(modules), len(patterns))
	}
	return modules, imports
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

// TestCompatibilityNamesPublicPackages compares the list of docs/compatibility.md with the packages
// that users can import, and the table of inherited modules too.
func TestCompatibilityNamesPublicPackages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "compatibility.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "\n## Public packages\n")
	list, _, found := strings.Cut(list, "\n## ")
	if !found {
		t.Fatal("docs/compatibility.md has no section \"Public packages\" with another one after it")
	}
	public := map[string]bool{}
	for _, f := range goFiles(t) {
		first, _, _ := strings.Cut(f.folder(), "/")
		private := first == "cmd" || first == "examples" || strings.Contains("/"+f.folder()+"/", "/internal/")
		if !private && !f.isTest() && f.ast.Name.Name != "main" {
			public[f.folder()] = true
		}
	}
	for folder := range public {
		if !strings.Contains(list, "`"+folder+"`") {
			t.Errorf("docs/compatibility.md lacks the public package %s: add it, or move the package below internal", folder)
		}
		if _, known := inherited[folder]; !known {
			t.Errorf("the table of inherited modules lacks the public package %s", folder)
		}
	}
	for folder := range inherited {
		if !public[folder] {
			t.Errorf("the table of inherited modules has %s, which is not a public package", folder)
		}
	}
	const publicMax = 30
	if len(public) > publicMax {
		t.Errorf("%d public packages (want at most %d)", len(public), publicMax)
	}
}
