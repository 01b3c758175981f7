package replay

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// modeVariable makes this test binary another program, so that tests can measure processes.
const modeVariable = "RTBWIRE_REPLAY_TEST_MODE"

func TestMain(m *testing.M) {
	switch mode, argument, _ := strings.Cut(os.Getenv(modeVariable), " "); mode {
	case "":
		os.Exit(m.Run())
	case "sink":
		sink(argument)
	case "load":
		load(argument)
	}
}

// sink answers every request with 204 after some time, and prints its address.
func sink(after string) {
	wait, err := time.ParseDuration(after)
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	s := &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) { time.Sleep(wait); noBid(ctx) }, NoDefaultServerHeader: true, NoDefaultDate: true}
	panic(s.Serve(l))
}

// load runs a closed loop and prints its rate: "URL BYTES SECONDS".
func load(argument string) {
	f := strings.Fields(argument)
	target, err := ParseTarget(f[0])
	if err != nil {
		panic(err)
	}
	size, _ := strconv.Atoi(f[1])
	seconds, _ := strconv.ParseFloat(f[2], 64)
	r, err := Run(context.Background(), Config{Target: target, Bodies: texts(strings.Repeat("x", size)), Duration: time.Duration(seconds * float64(time.Second))})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Target.Rate, r.Target.Failed(), r.CPU.Seconds())
}

// start starts this test binary in a mode, on one CPU if the machine can do that, and returns its
// first line of output.
func start(t *testing.T, cpu int, mode string) string {
	t.Helper()
	cmd := pinned(cpu, os.Args[0])
	cmd.Env = append(os.Environ(), modeVariable+"="+mode)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// pinned returns a command that runs on one CPU.
func pinned(cpu int, args ...string) *exec.Cmd {
	if path, err := exec.LookPath("taskset"); err == nil {
		args = append([]string{path, "-c", strconv.Itoa(cpu)}, args...)
	}
	return exec.Command(args[0], args[1:]...)
}
