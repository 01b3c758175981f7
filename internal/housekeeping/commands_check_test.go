package housekeeping

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestCommandsExist checks every documented command without running it: its target, script, leg,
// package, test, preset and flags are there.
func TestCommandsExist(t *testing.T) {
	for _, c := range documentedCommands(t) {
		for _, problem := range c.problems() {
			t.Errorf("%s: %s: %s", c.where, c.text, problem)
		}
	}
}

// TestCommandsThatDoNotExist checks that the check can fail.
func TestCommandsThatDoNotExist(t *testing.T) {
	skipVariant(t)
	for text, want := range map[string]string{
		"make nothing":                        "no target nothing",
		"make cpp CPP=asan":                   "takes no CPP",
		"make cpp ARGS=nothing":               "no mode nothing",
		"make test ARGS=x":                    "takes no ARGS",
		"X=1 make nothing":                    "no target nothing",
		"make ci STEPS=engines":               "no leg engines",
		"make ci STEPS=\"test nothing\"":      "no leg nothing",
		"scripts/nothing.sh":                  "no script",
		"scripts/lib.sh":                      "not executable",
		"scripts/cpp.sh nothing":              "no mode nothing",
		"go run ./nothing":                    "no program",
		"go run . --nothing":                  "no program",
		"cd lab && go run . --nothing":        "no flag --nothing",
		"go test ./wire/... -run TestNothing": "matches no test",
		"go test ./nothing":                   "no folder",
		"rtbwire check --nothing x":           "no flag --nothing",
		"rtbwire nothing":                     "no verb nothing",
		"rtbwire policy test --nothing x":     "no flag --nothing",
		"rtbwire-gen --nothing Event":         "no flag --nothing",
		"rtbwire-scan --nothing":              "no flag --nothing",
		"cd nothing && go run .":              "no folder",
		"cd cpp && cmake --preset nothing":    "no preset nothing",
		"zcat x | nothing":                    "no program nothing",
	} {
		problems := command{text: text, folder: "."}.problems()
		if !slices.ContainsFunc(problems, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%s: problems %q, want %q", text, problems, want)
		}
	}
}

// word is a word of a shell command: text in quotes stays together.
var word = regexp.MustCompile(`([^\s"'|;&]|"[^"]*"|'[^']*')+|&&|[|;]`)

// redirected is a word that names a file to read or write, not an argument.
var redirected = regexp.MustCompile(`^\d?(>>?|<)\S*$`)

// problems says what of a command does not exist.
func (c command) problems() (list []string) {
	folder := c.folder
	var words []string
	flush := func() {
		if len(words) == 0 {
			return
		}
		if words[0] == "cd" && len(words) == 2 {
			folder = path.Join(folder, words[1])
			if !isFolder(folder) {
				list = append(list, "no folder "+folder)
			}
		} else {
			list = append(list, problemsOf(folder, words, c.inline)...)
		}
		words = nil
	}
	skip := false
	for _, w := range word.FindAllString(c.text, -1) {
		switch {
		case w == "&&" || w == "|" || w == ";":
			flush()
		case skip:
			skip = false
		case redirected.MatchString(w):
			skip = w == ">" || w == "<" || w == ">>"
		default:
			words = append(words, strings.NewReplacer(`"`, "", `'`, "").Replace(w))
		}
	}
	flush()
	return list
}

// otherPrograms are in pipelines of documents and not ours.
var otherPrograms = map[string]bool{"curl": true, "echo": true, "zcat": true, "cat": true, "jq": true, "pip": true, "git": true, "timeout": true, "openssl": true}

// setting is a variable of the environment in front of a command.
var setting = regexp.MustCompile(`^[A-Z][A-Z0-9_]*=`)

func problemsOf(folder string, words []string, inline bool) []string {
	for len(words) > 1 && setting.MatchString(words[0]) {
		words = words[1:]
	}
	program, args := words[0], words[1:]
	switch {
	case program == "make":
		return problemsOfMake(args)
	case program == "go":
		return problemsOfGo(folder, args)
	case program == "rtbwire":
		return problemsOfVerb(args)
	case program == "rtbwire-gen":
		return missingFlags(args, sources("cmd/rtbwire-gen", ".go"), `"%s"`)
	case program == "rtbwire-scan" || program == "rtbwire-packets":
		return missingFlags(args, sources("cpp/tool", ".cpp"), `"%s`)
	case program == "cmake" || program == "ctest":
		return missingPresets(folder, args)
	case strings.Contains(program, "/"):
		info, err := os.Stat(filepath.Join(root, folder, program))
		if err != nil {
			return []string{"no script " + program}
		}
		if info.Mode()&0o111 == 0 && !inline {
			return []string{program + " is not executable"}
		}
		if program == "scripts/cpp.sh" {
			return missingMode(args)
		}
	case !otherPrograms[program]:
		return []string{"no program " + program + ": add it to the list in internal/housekeeping, or correct it"}
	}
	return nil
}

// target finds a target of the Makefile with its recipe.
func target(name string) (recipe string, found bool) {
	match := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:.*\n((\t.*\n)*)`).FindStringSubmatch(text("Makefile"))
	if match == nil {
		return "", false
	}
	return match[1], true
}

func problemsOfMake(args []string) (list []string) {
	recipe, name := "", ""
	for _, arg := range args {
		if variable, _, is := strings.Cut(arg, "="); is {
			if !strings.Contains(recipe, "$("+variable+")") {
				list = append(list, "target "+name+" takes no "+variable)
			}
			continue
		}
		var found bool
		if name = arg; strings.HasPrefix(arg, "-") {
			continue
		}
		if recipe, found = target(arg); !found {
			return append(list, "no target "+arg)
		}
	}
	for _, arg := range args {
		if steps, is := strings.CutPrefix(arg, "STEPS="); is {
			for name := range strings.FieldsSeq(steps) {
				if !slices.ContainsFunc(legs(), func(l leg) bool {
					return (l.list == args[0] || l.list == "named" && args[0] == "verify") && l.name == name
				}) {
					list = append(list, "make "+args[0]+" has no leg "+name)
				}
			}
		}
		if mode, is := strings.CutPrefix(arg, "ARGS="); is && args[0] == "cpp" {
			list = append(list, missingMode(strings.Fields(mode))...)
		}
	}
	if _, err := exec.LookPath("make"); err == nil && len(list) == 0 {
		if out, err := exec.Command("make", append([]string{"-C", root, "-n"}, args...)...).CombinedOutput(); err != nil {
			list = append(list, fmt.Sprintf("make -n: %v: %s", err, out))
		}
	}
	return list
}

// missingMode looks for the mode of scripts/cpp.sh that the first argument names.
func missingMode(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	mode := regexp.MustCompile(`(?m)^([a-z0-9]+ \| )*` + regexp.QuoteMeta(args[0]) + `( \| [a-z0-9]+)*\)`)
	if !mode.MatchString(text("scripts/cpp.sh")) {
		return []string{"scripts/cpp.sh has no mode " + args[0]}
	}
	return nil
}

func problemsOfGo(folder string, args []string) (list []string) {
	if len(args) > 2 && args[0] == "-C" {
		folder, args = path.Join(folder, args[1]), args[2:]
	}
	if len(args) == 0 {
		return nil
	}
	verb, args := args[0], args[1:]
	switch verb {
	case "run":
		for len(args) > 0 && strings.HasPrefix(args[0], "-") {
			args = args[1:]
		}
		if len(args) == 0 {
			return nil
		}
		main := path.Join(folder, args[0])
		if !strings.Contains(sources(main, ".go"), "func main()") {
			return []string{"no program in " + main}
		}
		return missingFlags(args[1:], deepSources(folder, ".go"), `"%s"`)
	case "test", "build", "vet", "generate":
		folders, patterns := []string{}, []string{}
		for i, arg := range args {
			switch {
			case strings.HasPrefix(arg, "./") || arg == ".":
				if arg = path.Join(folder, strings.TrimSuffix(arg, "/...")); !isFolder(arg) {
					return []string{"no folder " + arg}
				}
				folders = append(folders, arg)
			case i > 0 && (args[i-1] == "-run" || args[i-1] == "-bench" || args[i-1] == "-fuzz"):
				patterns = append(patterns, arg)
			}
		}
		return missingTests(folders, patterns)
	case "get", "install":
		for _, arg := range args {
			if at, _, _ := strings.Cut(arg, "@"); !strings.HasPrefix(at, module) || !isFolder(strings.TrimPrefix(at[len(module):], "/")) {
				list = append(list, "no package "+arg)
			}
		}
	case "tool", "doc", "mod", "env":
	default:
		list = append(list, "unknown verb go "+verb)
	}
	return list
}

// missingTests wants each pattern, but those that mean none, to match a function of the folders'
// tests.
func missingTests(folders, patterns []string) (list []string) {
	function := regexp.MustCompile(`(?m)^func (?:Test|Benchmark|Fuzz|Example)(\w*)`)
	for _, pattern := range patterns {
		if pattern == "XXX" || pattern == "^$" {
			continue
		}
		first, _, _ := strings.Cut(pattern, "/")
		re, err := regexp.Compile(first)
		if err != nil {
			list = append(list, err.Error())
			continue
		}
		found := false
		for _, folder := range folders {
			for _, match := range function.FindAllString(deepSources(folder, "_test.go"), -1) {
				found = found || re.MatchString(strings.TrimPrefix(match, "func "))
			}
		}
		if !found {
			list = append(list, pattern+" matches no test")
		}
	}
	return list
}

// problemsOfVerb asks the program itself for its flags.
func problemsOfVerb(args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	program, err := builtProgram()
	if err != nil {
		return []string{err.Error()}
	}
	verb := args[:1]
	if len(args) > 1 && !strings.ContainsAny(args[1], "-./") { // maybe a sub-verb; others ignore it
		verb = args[:2]
	}
	help, err := exec.Command(program, append(slices.Clone(verb), "--help")...).CombinedOutput()
	if err != nil {
		return []string{fmt.Sprintf("no verb %s: %s", args[0], help)}
	}
	return missingFlags(args[1:], string(help), "%s")
}

// missingFlags wants each flag among the arguments to be in a text, as the format shows its name.
func missingFlags(args []string, text, format string) (list []string) {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name == "" {
			continue
		}
		shown := name
		if format != `"%s"` { // Go's flags are declared without dashes
			shown = arg[:len(arg)-len(strings.TrimLeft(arg, "-"))] + name
		}
		if !strings.Contains(text, fmt.Sprintf(format, shown)) {
			list = append(list, "no flag "+arg)
		}
	}
	return list
}

// missingPresets wants the presets that cmake is given to be in the folder's CMakePresets.json.
func missingPresets(folder string, args []string) (list []string) {
	var presets struct {
		ConfigurePresets, BuildPresets, TestPresets []struct{ Name string }
	}
	if slices.Contains(args, "--preset") {
		if err := json.Unmarshal([]byte(text(path.Join(folder, "CMakePresets.json"))), &presets); err != nil {
			return []string{err.Error()}
		}
	}
	for i, arg := range args {
		if i > 0 && args[i-1] == "--preset" {
			all := fmt.Sprint(presets.ConfigurePresets, presets.BuildPresets, presets.TestPresets)
			if !strings.Contains(all, "{"+arg+"}") {
				list = append(list, "no preset "+arg)
			}
		}
	}
	return list
}

// builtProgram builds the program rtbwire and returns its path.
var builtProgram = sync.OnceValues(func() (string, error) {
	program := filepath.Join(scratch, "rtbwire")
	if out, err := exec.Command("go", "-C", root, "build", "-o", program, "./cmd/rtbwire").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// scratch is a folder for the tests of this package.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "housekeeping"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// text returns a file of the repository, empty where there is none.
func text(name string) string {
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return ""
	}
	return string(data)
}

func isFolder(name string) bool {
	info, err := os.Stat(filepath.Join(root, name))
	return err == nil && info.IsDir()
}

// sources returns the text of a folder's files whose names end in suffix.
func sources(folder, suffix string) string {
	var b strings.Builder
	entries, _ := os.ReadDir(filepath.Join(root, folder))
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			b.WriteString(text(path.Join(folder, e.Name())))
		}
	}
	return b.String()
}

// deepSources is [sources] of a folder and all below it.
func deepSources(folder, suffix string) string {
	b := strings.Builder{}
	_ = filepath.WalkDir(filepath.Join(root, folder), func(name string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			if rel, err := filepath.Rel(root, name); err == nil {
				b.WriteString(sources(filepath.ToSlash(rel), suffix))
			}
		}
		return nil
	})
	return b.String()
}
