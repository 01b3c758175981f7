package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rtbwire/rtbwire/internal/testkit/scripts"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"rtbwire": main}) }

// TestScript runs the command lines in testdata/script/*.txt; each file begins with what it
// shows. Besides the usual commands there are
//
//	status N COMMAND...   run a command that has to exit with status N
//	gzip FILE, zstd FILE  make FILE.gz or FILE.zst
//	cut FILE N            keep the first N bytes, or all but -N
//	bytes FILE TEXT       write TEXT, in which \x.. and \n are bytes
//	await FILE [SIZE]     wait until there is a file of that name, and of that many bytes
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": scripts.Status,
			"gzip": func(ts *testscript.TestScript, _ bool, args []string) {
				pack(ts, args[0], args[0]+".gz", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
			},
			"zstd": func(ts *testscript.TestScript, _ bool, args []string) {
				pack(ts, args[0], args[0]+".zst", func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
			},
			"cut": func(ts *testscript.TestScript, _ bool, args []string) {
				text := ts.ReadFile(args[0])
				n, err := strconv.Atoi(args[1])
				ts.Check(err)
				if n < 0 {
					n += len(text)
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text[:n]), 0o600))
			},
			"await": func(ts *testscript.TestScript, _ bool, args []string) {
				least := 0
				if len(args) > 1 {
					var err error
					least, err = strconv.Atoi(args[1])
					ts.Check(err)
				}
				for range 3000 {
					if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() >= int64(least) {
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
				ts.Fatalf("%s does not come", args[0])
			},
			"bytes": func(ts *testscript.TestScript, _ bool, args []string) {
				text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
			},
		},
	})
}

// pack compresses a file.
func pack(ts *testscript.TestScript, from, to string, newWriter func(io.Writer) (io.WriteCloser, error)) {
	var b bytes.Buffer
	w, err := newWriter(&b)
	ts.Check(err)
	_, err = io.WriteString(w, ts.ReadFile(from))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(to), b.Bytes(), 0o600))
}

// initMax is how long the initialization of one package may take. A library that fills tables
// when the program starts costs every user that much, every time.
const initMax = 10 * time.Millisecond

// TestInit starts the program a few times and looks at the best time of every package. The runtime
// reports the time that passed, so a busy machine gets more tries, and what the whole program has
// used of a processor is a bound.
func TestInit(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	best := map[string]time.Duration{}
	for try := 0; try < 5 || try < 50 && tooLong(best); try++ {
		cmd := exec.Command(self, "-test.run=^$")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		whole := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		for _, m := range regexp.MustCompile(`init (\S+) @\S+ ms, ([0-9.]+) ms clock`).FindAllSubmatch(out, -1) {
			ms, err := strconv.ParseFloat(string(m[2]), 64)
			if err != nil {
				t.Fatal(err)
			}
			took := min(whole, time.Duration(ms*float64(time.Millisecond)))
			if b, seen := best[string(m[1])]; !seen || took < b {
				best[string(m[1])] = took
			}
		}
	}
	if len(best) == 0 {
		t.Fatal("the runtime reported no package")
	}
	for name, took := range best {
		if took > initMax {
			t.Errorf("starting %s takes %v, more than %v; use another version or another library", name, took, initMax)
		}
	}
}

// tooLong reports whether a package takes longer than [initMax].
func tooLong(best map[string]time.Duration) bool {
	for _, took := range best {
		if took > initMax {
			return true
		}
	}
	return false
}
