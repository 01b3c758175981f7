package main

import (
	"bufio"
	"net"
	"os/exec"
	"regexp"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit/parent"
)

// TestDemoLeavesNothing ends a demo with an interrupt, and kills one: its gateway and its core end
// too.
func TestDemoLeavesNothing(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			if signal == syscall.SIGKILL && runtime.GOOS != "linux" {
				t.Skip("only Linux tells children that their parent is gone")
			}
			demo := exec.Command("rtbwire", "demo", "--keep", "--duration", "100ms", "--rate", "100", "--connections", "4")
			log, err := demo.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			parent.EndWith(demo)
			if err := demo.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = demo.Process.Kill() })
			addresses := regexp.MustCompile(`^(?:core|gateway|page) +http://([0-9.:]+)`)
			var open []string
			goesOn := false
			for lines := bufio.NewScanner(log); !goesOn && lines.Scan(); {
				if m := addresses.FindStringSubmatch(lines.Text()); m != nil {
					open = append(open, m[1])
				}
				goesOn = regexp.MustCompile("^the traffic goes on").MatchString(lines.Text())
			}
			if !goesOn || len(open) != 3 {
				t.Fatalf("it does not go on; addresses: %v", open)
			}
			if err := demo.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := demo.Wait(); (err == nil) != (signal == syscall.SIGINT) {
				t.Errorf("it ends with %v", err)
			}
			for _, address := range open {
				for end := time.Now().Add(30 * time.Second); listens(address); time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("something still listens at %s", address)
					}
				}
			}
		})
	}
}

func listens(address string) bool {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}
