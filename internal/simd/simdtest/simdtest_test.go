package simdtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/rtbwire/rtbwire/internal/simd"
)

// fake returns a kernel package with two levels in plain Go, and its current level.
func fake() (*Kernel, *simd.Level) {
	levels := []simd.Level{simd.Reference, simd.SWAR}
	current := simd.SWAR
	return &Kernel{
		Portable: levels,
		Levels:   func() []simd.Level { return levels },
		SetLevel: func(l simd.Level) simd.Level { return simd.Set(&current, levels, l) },
	}, &current
}

// recorder is a testing.TB whose Fatalf panics with the message instead of failing the test.
type recorder struct{ testing.TB }

func (recorder) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// message returns the message with which f fails a recorder, or "".
func message(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = p.(string)
		}
	}()
	f()
	return ""
}

func TestEachLevel(t *testing.T) {
	k, current := fake()
	var seen []simd.Level
	EachLevel(t, k, func(t *testing.T) {
		seen = append(seen, *current)
		if want := "level=" + current.String(); !strings.HasSuffix(t.Name(), want) {
			t.Errorf("the subtest is called %s, want it to end in %s", t.Name(), want)
		}
	})
	if !slices.Equal(seen, k.Portable) || *current != simd.SWAR {
		t.Errorf("body ran at %v, and then the level was %v", seen, *current)
	}
}

// TestChecker calls kernels that do as they should, and kernels that write beside their output.
func TestChecker(t *testing.T) {
	type element struct{ a, b, c uint64 }
	for _, c := range []struct {
		name string
		at   int // the byte that is changed, from the start of two elements
		want string
	}{
		{"the first byte of the output", 0, ""},
		{"the last byte of the output", 47, ""},
		{"a byte before the output", -1, "bytes before the output change"},
		{"a byte far before the output", -margin, "bytes before the output change"},
		{"a byte after the output", 48, "bytes after the output change"},
		{"a byte far after the output", 47 + margin, "bytes after the output change"},
	} {
		k, current := fake()
		checker := NewChecker[element](recorder{t}, k, 10, 2)
		calls := 0
		got := message(func() {
			checker.Check([]byte("0123456789"), 2, func(l simd.Level, out []element, text []byte) {
				if l != *current || string(text) != "0123456789" || len(out) != 2 {
					t.Errorf("%s: called at %v for %v with %d elements and the text %q", c.name, *current, l, len(out), text)
				}
				// Only one side of the output can be written to: the other is unreadable.
				calls++
				if second := calls > len(k.Portable); c.want == "" || second == (c.at > 0) {
					*(*byte)(unsafe.Add(unsafe.Pointer(&out[0]), c.at)) ^= 1
				}
			})
		})
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: the message is %q, want %q", c.name, got, c.want)
		}
		if c.want == "" && calls != 2*len(k.Portable) {
			t.Errorf("%s: %d calls, want one for each side and level", c.name, calls)
		}
		if *current != simd.SWAR {
			t.Errorf("%s: the level is %v after the check", c.name, *current)
		}
	}
	k, _ := fake()
	checker := NewChecker[element](recorder{t}, k, 10, 2)
	got := message(func() {
		checker.Check([]byte("0123"), 1, func(_ simd.Level, _ []element, text []byte) { text[3] = '-' })
	})
	if want := `the text "0123" changes to "012-"`; !strings.Contains(got, want) {
		t.Errorf("a kernel that changes the text: the message is %q, want %q", got, want)
	}
}

func TestEachPosition(t *testing.T) {
	var got []string
	EachPosition(3, '.', []string{"a", "bc"}, func(text []byte) { got = append(got, string(text)) })
	want := []string{"", ".", "a", "..", "a.", ".a", "bc", "...", "a..", ".a.", "..a", "bc.", ".bc"}
	if !slices.Equal(got, want) {
		t.Errorf("texts %q, want %q", got, want)
	}
	if got := Bytes("a\xff"); !slices.Equal(got, []string{"a", "\xff"}) {
		t.Errorf("Bytes = %q", got)
	}
}

func TestPanics(t *testing.T) {
	if Panics(func() {}) || !Panics(func() { panic("x") }) {
		t.Error("Panics is wrong")
	}
}

func TestLevelsFor(t *testing.T) {
	k, _ := fake()
	k.Assembly = fstest.MapFS{
		"k_amd64.s": {Data: []byte("// func fAVX512(n int)\n// Requires: AVX, AVX512BW, BMI\nTEXT ·fAVX512(SB), NOSPLIT, $0-8\n" +
			"\tRET\n\n// Requires: AVX, AVX2\nTEXT ·fAVX2(SB), NOSPLIT, $0-8\n\tRET\n")},
		"k_arm64.s": {Data: []byte("TEXT ·fNEON(SB), NOSPLIT, $0-8\n\tRET\n")},
		"k_s390x.s": {Data: []byte("TEXT ·f(SB), NOSPLIT, $0-8\n\tRET\n")},
	}
	for _, c := range []struct {
		arch, features string
		want           []simd.Level
	}{
		{"amd64", "", nil},
		{"amd64", "AVX AVX512BW", nil},
		{"amd64", "AVX AVX2", []simd.Level{simd.AVX2}},
		{"amd64", "AVX AVX512BW BMI", []simd.Level{simd.AVX512}},
		{"amd64", "AVX AVX2 AVX512BW BMI", []simd.Level{simd.AVX2, simd.AVX512}},
		{"arm64", "", []simd.Level{simd.NEON}},
	} {
		features := map[string]bool{}
		for name := range strings.FieldsSeq(c.features) {
			features[name] = true
		}
		want := append(slices.Clone(k.Portable), c.want...)
		if got, err := k.levelsFor(c.arch, features); err != nil || !slices.Equal(got, want) {
			t.Errorf("levelsFor(%s, %s) = %v, %v, want %v", c.arch, c.features, got, err, want)
		}
	}
	for _, arch := range []string{"s390x", "386"} {
		if got, err := k.levelsFor(arch, nil); err == nil {
			t.Errorf("levelsFor(%s) = %v, want an error", arch, got)
		}
	}
}

func TestRunsLevel(t *testing.T) {
	for _, c := range []struct {
		reader string
		level  simd.Level
		want   bool
	}{
		{"indexAVX2", simd.AVX2, true},
		{"indexNEON", simd.NEON, true},
		{"indexAVX2", simd.AVX512, false},
		{"indexAVX512", simd.AVX2, false},
		{"indexSWAR", simd.AVX2, false},
		{"indexRef", simd.AVX2, false},
		{"indexRef", simd.Reference, true},
		{"classify", simd.SWAR, true},
		{"indexAVX2", simd.SWAR, false},
		{"indexAVX2", simd.Reference, false},
		{"", simd.Reference, false},
		{"", simd.AVX2, false},
	} {
		if got := runs(c.reader, c.level); got != c.want {
			t.Errorf("runs(%q, %v) = %v", c.reader, c.level, got)
		}
	}
}
