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

// The results of planting a fault.
const (
	caught          = "caught"
	caughtElsewhere = "elsewhere" // caught, but not by the tests that the list names
	leftOut         = "left out"  // this machine does not run the code
	survived        = "SURVIVED"
	broken          = "BROKEN" // the fault can't be planted, or does not compile
)

type outcome struct{ result, by string }

// tree is a copy of the repository.
type tree struct {
	dir  string
	only string // run all tests of this package, and no others

	module *module
}

// copy copies the files that git knows, and new ones that it does not ignore, from the folder that
// the command runs in.
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

// sound runs all expected tests in the tree as it is: one that fails without a fault catches
// nothing.
func (t *tree) sound(chosen []planned) error {
	type run struct {
		pkg, tags string
		short     bool
	}
	names := map[run][]string{}
	for _, p := range chosen {
		for _, test := range p.tests {
			r := run{test.pkg, p.tags, !p.full}
			if !slices.Contains(names[r], test.name) {
				names[r] = append(names[r], test.name)
			}
		}
	}
	for r, names := range names {
		for _, name := range names { // with these build tags there may be no such test
			if out, err := t.goTest(r.tags, true, "-list", "^"+name+"$", r.pkg); err != nil || !bytes.Contains(out, []byte(name+"\n")) {
				return fmt.Errorf("%s has no %s: %w\n%s", r.pkg, name, err, out)
			}
		}
		if out, err := t.goTest(r.tags, r.short, "-run", runOf(names), r.pkg); err != nil {
			return fmt.Errorf("%s: %w\n%s", r.pkg, err, out)
		}
	}
	return nil
}

func runOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// goTest runs tests. Those that -short leaves out, for example TestTimeIsLinear, need short to be
// false.
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
func (t *tree) plant(p planned) outcome {
	if p.level != 0 && !slices.Contains(jsonindex.Levels(), p.level) {
		return outcome{leftOut, "this machine has no " + p.level.String()}
	}
	touched := []string{p.in.file.name}
	if p.regenerate {
		touched = append(touched, t.module.generated...)
	}
	saved, err := t.read(touched)
	if err != nil {
		return outcome{broken, err.Error()}
	}
	defer func() {
		for name, text := range saved {
			if err := os.WriteFile(filepath.Join(t.dir, name), text, 0o644); err != nil {
				panic(err) // later results would mean nothing
			}
		}
	}()
	if err := os.WriteFile(filepath.Join(t.dir, p.in.file.name), []byte(p.apply(p.in)), 0o644); err != nil {
		return outcome{broken, err.Error()}
	}
	if p.regenerate {
		if out, err := t.command("generate", "./openrtb"); err != nil {
			return outcome{broken, string(out)}
		}
		now, err := t.read(t.module.generated)
		if err != nil {
			return outcome{broken, err.Error()}
		}
		if !slices.ContainsFunc(t.module.generated, func(name string) bool { return !bytes.Equal(now[name], saved[name]) }) {
			return outcome{broken, "the generated code is the same"}
		}
	}
	if t.only != "" {
		if out, err := t.goTest(p.tags, true, t.only); err != nil {
			return judge(out, caught)
		}
		return outcome{survived, p.place()}
	}
	for tests := p.tests; len(tests) > 0; { // those of one package, then the others
		pkg := tests[0].pkg
		var names []string
		var others []test
		for _, test := range tests {
			if test.pkg == pkg {
				names = append(names, test.name)
			} else {
				others = append(others, test)
			}
		}
		if out, err := t.goTest(p.tags, !p.full, "-run", runOf(names), pkg); err != nil {
			return judge(out, caught)
		}
		tests = others
	}
	if out, err := t.goTest(p.tags, true, t.module.tested()...); err != nil {
		return judge(out, caughtElsewhere)
	}
	return outcome{survived, p.place()}
}

// read returns the content of some files.
func (t *tree) read(names []string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			return nil, err
		}
		texts[name] = text
	}
	return texts, nil
}

var (
	failed  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\w+)`)
	running = regexp.MustCompile(`running tests:\n\s+(\w+)`)
	frame   = regexp.MustCompile(`\.(Test\w+)[.(]`)
)

// judge finds in the output of a run that failed which test did, and how.
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
	// Looked for after the names, because a fault of the generator may break only a package that
	// was not generated again.
	if bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")) {
		return outcome{broken, "does not compile: " + string(out[:min(len(out), 500)])}
	}
	return outcome{broken, "tests failed, and the output does not say which: " + string(out[max(0, len(out)-500):])}
}
