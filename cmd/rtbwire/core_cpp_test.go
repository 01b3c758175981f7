package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit/parent"
)

// TestCoreCPP puts the gateway in front of the core in examples/core-cpp, which RTBWIRE_CORE names
// (scripts/cpp.sh core builds it).
func TestCoreCPP(t *testing.T) {
	program := os.Getenv("RTBWIRE_CORE")
	if program == "" {
		t.Skip("RTBWIRE_CORE names no core")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	core := exec.Command(program, host, port)
	core.Stderr = os.Stderr
	stdout, err := core.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	parent.EndWith(core)
	if err := core.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = core.Process.Kill(), core.Wait() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}

	upstream := "http://" + net.JoinHostPort(host, port)
	folder := t.TempDir()
	for _, shadow := range []bool{false, true} {
		p := startServe(t, false, "--upstream", upstream, "--max-upstream-connections", "64", fmt.Sprint("--shadow=", shadow), "--windows=false")
		url := "http://" + p.address + "/openrtb2/auction"
		bid := strings.Replace(goodRequest, `"id":"1"`, `"id":"\u0031\""`, 1)
		if status, answer, err := send(url, bid); err != nil || status != 200 ||
			answer != `{"id":"\u0031\"","seatbid":[{"bid":[{"id":"1","impid":"1","price":0.500000,"adomain":["advertiser.example"]}]}]}` {
			t.Errorf("a bid: %d %s %v", status, answer, err)
		}
		for what, body := range map[string]string{
			"refused":        `{"id":"1"}`,
			"fraud":          strings.Replace(goodRequest, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Googlebot/2.1", 1),
			"no banner":      strings.Replace(goodRequest, `"banner":{"w":300,"h":250}`, `"video":{"mimes":["video/mp4"]}`, 1),
			"floor in euros": strings.Replace(goodRequest, `"banner"`, `"bidfloor":1,"bidfloorcur":"EUR","banner"`, 1),
		} {
			if status, answer, err := send(url, body); err != nil || status != 204 {
				t.Errorf("%s: %d %s %v", what, status, answer, err)
			}
		}
		// Every bid passes the rules for responses, and for pairs.
		file := filepath.Join(folder, "bids.ndjson")
		run := func(args ...string) {
			if out, err := exec.Command("rtbwire", args...).CombinedOutput(); err != nil {
				t.Errorf("%v: %v: %s", args, err, out)
			}
		}
		run("simulate", "--count", "2000", "--shape", "banner", "--fraud", "5%", "-o", file)
		run("replay", "--url", url, "--once", "--rate", "500", "--connections", "16", "--max-lag", "1m", "--timeout", "10s", "--check", file)
	}
}
