package process

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const patience = 20 * time.Second

// start starts a shell on the first core that this process may use.
func start(t *testing.T, script string) *Process {
	t.Helper()
	if _, err := exec.LookPath("taskset"); err != nil {
		t.Skip("needs taskset")
	}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	core := 0
	for !set.IsSet(core) {
		core++
	}
	p, err := Start(Core(core), filepath.Join(t.TempDir(), "log"), "sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// await waits until the log has a text.
func await(t *testing.T, p *Process, text string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(p.Tail(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the log has no %q: %s", text, p.Tail())
		}
	}
}

// TestStop: a process may end well, badly, or not at all.
func TestStop(t *testing.T) {
	for _, tt := range []struct {
		script   string
		patience time.Duration
		want     string // in the error
	}{
		{`trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done`, patience, ""},
		{`trap 'echo badly; exit 3' TERM; echo ready; while :; do sleep 0.01; done`, patience, "exit status 3:\nready\nbadly"},
		{`trap '' TERM; echo ready; while :; do sleep 0.01; done`, 50 * time.Millisecond, "did not end within 50ms of SIGTERM:\nready"},
	} {
		p := start(t, tt.script)
		await(t, p, "ready")
		if err := p.Alive(); err != nil {
			t.Errorf("%s: %v", tt.script, err)
		}
		err := p.Stop(tt.patience)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, expected %q", tt.script, err, tt.want)
		}
		if p.Alive() == nil {
			t.Errorf("%s: still alive", tt.script)
		}
	}
}

// TestListens waits for an address, and no longer than the process lives.
func TestListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, "sleep 60")
	if err := p.Listens(t.Context(), l.Addr().String(), patience); err != nil {
		t.Error(err)
	}
	_ = l.Close() // no process listens any more
	if err := p.Listens(t.Context(), l.Addr().String(), 20*time.Millisecond); err == nil || !strings.Contains(err.Error(), "does not listen at 127.0.0.1") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Listens(ctx, l.Addr().String(), patience); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
	ended := start(t, "echo no port; exit 1")
	if err := ended.Listens(t.Context(), l.Addr().String(), patience); err == nil || !strings.Contains(err.Error(), "it has ended (exit status 1):\nno port") {
		t.Errorf("error %v", err)
	}
}

// TestUsed reads what a process and its child have used.
func TestUsed(t *testing.T) {
	p := start(t, "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo ready; sleep 60' & echo started; wait")
	await(t, p, "ready")
	all, err := p.Used()
	if err != nil {
		t.Fatal(err)
	}
	one, err := UsedBy(p.PID())
	if err != nil {
		t.Fatal(err)
	}
	if all.CPU < one.CPU+10*time.Millisecond || all.User+all.System < 2*Tick {
		t.Errorf("the family used %+v, the first of it %+v", all, one)
	}
	if resident, peak := p.Memory(); resident <= 0 || peak < resident {
		t.Errorf("%v MiB, at most %v", resident, peak)
	}
	p.Kill()
	if _, err := p.Used(); err == nil {
		t.Error("a process that has ended uses something")
	}
}

// TestCores reads what taskset(1) reads.
func TestCores(t *testing.T) {
	for on, want := range map[Cores][]int{Core(2): {2}, CoreRange(1, 3): {1, 2, 3}, "0,4-5": {0, 4, 5}, "": nil, "x-2": nil} {
		var got []int
		for core := range 8 {
			if on.Has(core) {
				got = append(got, core)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has %v, want %v", on, got, want)
		}
	}
}

// TestBuild says which program does not compile.
func TestBuild(t *testing.T) {
	if err := Build(t.Context(), filepath.Join(t.TempDir(), "x"), ".", "./none"); err == nil || !strings.Contains(err.Error(), "building ./none: exit status 1\n") {
		t.Errorf("error %v", err)
	}
	if _, err := Start(Core(0), filepath.Join(t.TempDir(), "none", "log"), "true"); err == nil {
		t.Error("started without a log")
	}
}
