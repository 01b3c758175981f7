package simdtest

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/simd"
)

// TestDispatch checks how a kernel package chooses its level.
func (k *Kernel) TestDispatch(t *testing.T) {
	t.Run("Levels", k.testLevels)
	t.Run("KernelsRun", k.testKernelsRun)
	t.Run("SetLevel", k.testSetLevel)
}

// testLevels fails, instead of skipping, when the CPU has what a kernel requires and its level is
// missing. It also fails when the level is there and the CPU lacks something.
func (k *Kernel) testLevels(t *testing.T) {
	want := k.Portable
	if assembly {
		features, err := cpuFeatures()
		if err != nil {
			t.Skipf("what this CPU has is unknown: %v", err)
		}
		if want, err = k.levelsFor(runtime.GOARCH, features); err != nil {
			t.Fatal(err)
		}
	}
	if got := k.Levels(); !slices.Equal(got, want) {
		t.Errorf("Levels() = %v, want %v", got, want)
	}
	current := k.SetLevel(simd.Reference)
	k.SetLevel(current)
	if best := want[len(want)-1]; current != best {
		t.Errorf("the level in use is %v, want %v", current, best)
	}
}

// textLine finds the kernels in assembly, each with its "Requires:" line if it has one.
var textLine = regexp.MustCompile(`(?m)^(?:// Requires: (.+)\n)?TEXT ·(\w+)\(SB\)`)

// levelsFor returns the levels that the assembly says a CPU with these features has, lowest first.
func (k *Kernel) levelsFor(arch string, features map[string]bool) ([]simd.Level, error) {
	files, err := fs.Glob(k.Assembly, "*_"+arch+".s")
	if err == nil && len(files) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("found no assembly for %s: %w", arch, err)
	}
	levels := slices.Clone(k.Portable)
	for _, file := range files {
		text, err := fs.ReadFile(k.Assembly, file)
		if err != nil {
			return nil, err
		}
		for _, m := range textLine.FindAllSubmatch(text, -1) {
			level := levelOf(string(m[2]))
			if level <= simd.SWAR {
				return nil, fmt.Errorf("%s: the name of %s does not end in a level", file, m[2])
			}
			required := strings.FieldsFunc(string(m[1]), func(r rune) bool { return r == ',' || r == ' ' })
			if !slices.ContainsFunc(required, func(name string) bool { return !features[name] }) {
				levels = append(levels, level)
			}
		}
	}
	slices.Sort(levels)
	return levels, nil
}

// levelOf returns the level at the end of a function's name, or Reference.
func levelOf(function string) simd.Level {
	for l := simd.AVX512; l > simd.Reference; l-- {
		if strings.HasSuffix(function, l.String()) {
			return l
		}
	}
	return simd.Reference
}

// cpuFeatures returns what the operating system says the CPU has, under the names of the
// "Requires:" lines. The dispatch asks the CPU itself. On arm64 no kernel requires anything.
func cpuFeatures() (map[string]bool, error) {
	features := map[string]bool{}
	if runtime.GOARCH != "amd64" {
		return features, nil
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil, err
	}
	_, flags, _ := strings.Cut(string(info), "\nflags")
	flags, _, _ = strings.Cut(flags, "\n")
	for name := range strings.FieldsSeq(strings.ToUpper(flags)) {
		features[name] = true
	}
	features["BMI"] = features["BMI1"]
	return features, nil
}

// testKernelsRun checks that a level in assembly is not plain Go under another name: the function
// that reads the text must be the kernel of that name.
func (k *Kernel) testKernelsRun(t *testing.T) {
	if !guardpage.Enabled {
		t.Skip("this system has no unreadable pages")
	}
	for _, l := range k.Levels() {
		previous := k.SetLevel(l)
		reader := guardpage.Toucher(t, k.Read)
		k.SetLevel(previous)
		if !runs(reader, l) {
			t.Errorf("at level %v the text is read by %q", l, reader)
		}
	}
}

// runs reports whether a function of this name may read the text at level l. A function of plain Go
// may have any name, but not that of a kernel.
func runs(reader string, l simd.Level) bool {
	return reader != "" && max(levelOf(reader), simd.SWAR) == max(l, simd.SWAR)
}

func (k *Kernel) testSetLevel(t *testing.T) {
	start := k.SetLevel(simd.Reference)
	defer k.SetLevel(start)
	before := simd.Reference
	for _, l := range k.Levels() {
		if got := k.SetLevel(l); got != before {
			t.Errorf("SetLevel(%v) = %v, want %v", l, got, before)
		}
		before = l
	}
	if !Panics(func() { k.SetLevel(200) }) {
		t.Error("SetLevel of an unknown level did not panic")
	}
	if got := k.SetLevel(before); got != before {
		t.Errorf("SetLevel of an unknown level set %v, want %v unchanged", got, before)
	}
}
