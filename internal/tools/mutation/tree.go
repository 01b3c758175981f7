package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
)

// What becomes of a fault.
const (
	caught          = "caught"
	caughtElsewhere = "elsewhere" // caught, but not by the tests that the list names
	leftOut         = "left out"  // this machine does not run the code
	survived        = "SURVIVED"
	broken          = "BROKEN" // does not apply, or does not compile
)

type outcome struct{ result, by string }

// tree is a copy of the repository.
type tree struct {
	dir  string
	only string // run all tests of this package, and no others
}

// packages are those whose tests may catch a fault that the expected ones miss.
var packages = []string{"./wire", "./gen", "./internal/simd/...", "./openrtb/..."}

// copy copies what git knows, and what is new and not ignored, from the folder that the command runs in.
func (t *tree) copy() error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	// The option lets git read another user's checkout.
	list, err := exec.Command("git", "-c", "safe.directory="+root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, not yet committed
		}
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(t.dir, filepath.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(t.dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generated is what a change of the generator changes.
var generated = []string{"openrtb/codec_gen.go", "openrtb/native/codec_gen.go"}

// sound runs all expected tests in the tree as it is: one that fails without a fault catches nothing.
func (t *tree) sound(chosen []fault) error {
	byPackage := map[string][]string{}
	for _, f := range chosen {
		for _, test := range f.tests {
			pkg, name, _ := strings.Cut(test, ":")
			if key := f.tags + " " + strconv.FormatBool(!f.full) + " " + pkg; !slices.Contains(byPackage[key], name) {
				byPackage[key] = append(byPackage[key], name)
			}
		}
	}
	for key, names := range byPackage {
		tags, rest, _ := strings.Cut(key, " ")
		short, pkg, _ := strings.Cut(rest, " ")
		for _, name := range names { // a name that is no test's would catch nothing, and nobody would notice
			if out, err := t.goTest(tags, true, "-list", "^"+name+"$", pkg); err != nil || !bytes.Contains(out, []byte(name+"\n")) {
				return fmt.Errorf("%s has no %s: %w\n%s", pkg, name, err, out)
			}
		}
		if out, err := t.goTest(tags, short == "true", "-run", runOf(names), pkg); err != nil {
			return fmt.Errorf("%s: %w\n%s", pkg, err, out)
		}
	}
	return nil
}

func runOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// goTest runs tests. Those that -short leaves out (TestTimeIsLinear is one) run when short is false.
func (t *tree) goTest(tags string, short bool, args ...string) ([]byte, error) {
	// The folder's name is not part of what is built, so that the next run finds it in the cache.
	args = append([]string{"test", "-trimpath", "-vet=off", "-failfast", "-count=1", "-timeout=120s", "-short=" + strconv.FormatBool(short), "-tags=" + tags}, args...)
	return t.command(args...)
}

func (t *tree) command(args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir = t.dir
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOTRACEBACK=all")
	return c.CombinedOutput()
}

// plant plants one fault, runs the tests, and takes it out again.
func (t *tree) plant(f fault) outcome {
	if f.level != 0 && !slices.Contains(jsonindex.Levels(), f.level) {
		return outcome{leftOut, "this machine has no " + f.level.String()}
	}
	touched := []string{f.file}
	if f.regenerate {
		touched = append(touched, generated...)
	}
	saved := map[string][]byte{}
	for _, name := range touched {
		text, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			return outcome{broken, err.Error()}
		}
		saved[name] = text
	}
	changed, err := f.apply(string(saved[f.file]))
	if err != nil {
		return outcome{broken, err.Error()}
	}
	defer func() {
		for name, text := range saved {
			if err := os.WriteFile(filepath.Join(t.dir, name), text, 0o644); err != nil {
				panic(err) // what comes next would mean nothing
			}
		}
	}()
	if err := os.WriteFile(filepath.Join(t.dir, f.file), []byte(changed), 0o644); err != nil {
		return outcome{broken, err.Error()}
	}
	if f.regenerate {
		if out, err := t.command("generate", "./openrtb"); err != nil {
			return outcome{broken, string(out)}
		}
		if now, err := os.ReadFile(filepath.Join(t.dir, generated[0])); err != nil || bytes.Equal(now, saved[generated[0]]) {
			return outcome{broken, "the generated code is the same"}
		}
	}
	if t.only != "" {
		if out, err := t.goTest(f.tags, true, t.only); err != nil {
			return judge(out, caught)
		}
		return outcome{survived, f.file}
	}
	for len(f.tests) > 0 { // those of one package, then the others
		pkg, _, _ := strings.Cut(f.tests[0], ":")
		var names, others []string
		for _, test := range f.tests {
			if name, ok := strings.CutPrefix(test, pkg+":"); ok {
				names = append(names, name)
			} else {
				others = append(others, test)
			}
		}
		if out, err := t.goTest(f.tags, !f.full, "-run", runOf(names), pkg); err != nil {
			return judge(out, caught)
		}
		f.tests = others
	}
	if out, err := t.goTest(f.tags, true, packages...); err != nil {
		return judge(out, caughtElsewhere)
	}
	return outcome{survived, f.file}
}

var (
	failed  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\w+)`)
	running = regexp.MustCompile(`running tests:\n\s+(\w+)`)
	frame   = regexp.MustCompile(`\.(Test\w+)[.(]`)
)

// judge tells from the output of tests that failed which one did, and how.
func judge(out []byte, result string) outcome {
	how := ""
	for _, sign := range []string{"test timed out", "out of memory", "stack overflow", "unexpected fault address", "SIGSEGV", "fatal error", "panic:"} {
		if bytes.Contains(out, []byte(sign)) {
			how = " (" + strings.TrimSuffix(sign, ":") + ")"
			break
		}
	}
	for _, re := range []*regexp.Regexp{failed, running, frame} {
		if m := re.FindSubmatch(out); m != nil {
			return outcome{result, string(m[1]) + how}
		}
	}
	// After a test's name, because a generator's fault may keep only a package from compiling that nobody generated.
	if bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")) {
		return outcome{broken, "does not compile: " + string(out[:min(len(out), 500)])}
	}
	return outcome{broken, "the tests fail, and do not say which: " + string(out[max(0, len(out)-500):])}
}
