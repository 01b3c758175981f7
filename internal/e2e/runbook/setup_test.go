package runbook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// Ways to start a gateway whose surroundings a test changes.

// startNamed starts a gateway in a mount namespace with an /etc/hosts and name servers of its own.
func startNamed(s *stage, f *fault) {
	s.Helper()
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		s.Skipf("unshare --mount: %v %s", err, out)
	}
	s.core = s.startCore("")
	_, port, _ := strings.Cut(s.core.address, ":")
	hosts, servers := s.write("hosts", "127.0.0.1 localhost core.example\n"), s.write("resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
	args := append([]string{"--mount", "sh", "-c", `mount --bind "$0" /etc/hosts && mount --bind "$1" /etc/resolv.conf && shift && exec "$@"`, hosts, servers,
		program, "serve", "--config", s.configure(strings.ReplaceAll(f.config, "PORT", port)), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, f.args...)
	s.start(exec.Command("unshare", args...), false, 2)
}

// startShifted starts a gateway whose clock a file sets: it is built with another package time,
// which adds as many seconds as the file has.
func startShifted(s *stage, f *fault) {
	s.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	s.must(err)
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	s.must(err)
	const at = "\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), at) != 1 {
		s.Fatalf("%s is another one: want one line %q", source, at)
	}
	shifted := strings.Replace(string(text), at, at+"\tsec += clockShift()\n", 1)
	own := s.write("time.go", shifted)
	extra := s.write("shift.go", `package time

import (
	"sync/atomic"
	"syscall"
)

// shift is the number in the file that TEST_CLOCK names, 0 while there is none. Now is called where
// no system call may be, so the file is read apart.
var shift atomic.Int64

func clockShift() int64 { return shift.Load() }

func init() {
	name, _ := syscall.Getenv("TEST_CLOCK")
	go func() {
		for ; ; Sleep(100 * Millisecond) {
			f, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
			if err != nil {
				continue
			}
			var b [16]byte
			length, _ := syscall.Read(f, b[:])
			syscall.Close(f)
			n := int64(0)
			for _, c := range b[:max(length, 0)] {
				n = n*10 + int64(c-'0')
			}
			shift.Store(n)
		}
	}()
}
`)
	overlay := s.write("overlay.json", `{"Replace":{`+strconv.Quote(source)+":"+strconv.Quote(own)+","+strconv.Quote(filepath.Join(filepath.Dir(source), "shift.go"))+":"+strconv.Quote(extra)+"}}")
	s.T.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -overlay="+overlay)
	of := s.path("rtbwire")
	s.must(testkit.BuildProgram(of, "github.com/rtbwire/rtbwire/cmd/rtbwire"))
	cmd := exec.Command(of, "serve", "--config", s.configure(f.config), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")
	cmd.Env = []string{"TEST_CLOCK=" + s.path("clock")}
	s.start(cmd, false, 2)
}
