package replay

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// measured is what a generator did in a run.
type measured struct {
	rate float64       // answers a second
	cpu  time.Duration // of the generator, for a request
}

// generators are this one and others, each with one thread and 64 connections on the second
// processor. They return what they measured of a target, with requests of a size.
var generators = []struct {
	name string
	run  func(t *testing.T, url string, size, seconds int) measured
}{
	{"replay", runReplay}, {"wrk", runWrk}, {"h2load", runH2load},
}

func runReplay(t *testing.T, url string, size, seconds int) (m measured) {
	var failed, cpu float64
	if _, err := fmt.Sscan(start(t, 1, fmt.Sprintf("load %s %d %d", url, size, seconds)), &m.rate, &failed, &cpu); err != nil || failed > 0 {
		t.Fatalf("%v, %v requests failed", err, failed)
	}
	m.cpu = time.Duration(cpu / (m.rate * float64(seconds)) * 1e9)
	return m
}

// runOther runs a program that prints its rate where the expression says.
func runOther(t *testing.T, seconds int, rate string, args ...string) (m measured) {
	cmd := pinned(1, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	found := regexp.MustCompile(rate).FindSubmatch(out)
	if found == nil {
		t.Fatalf("%v:\n%s", args, out)
	}
	if m.rate, err = strconv.ParseFloat(string(found[1]), 64); err != nil {
		t.Fatal(err)
	}
	m.cpu = time.Duration(float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()) / (m.rate * float64(seconds)))
	return m
}

func runWrk(t *testing.T, url string, size, seconds int) measured {
	script := filepath.Join(t.TempDir(), "post.lua")
	text := fmt.Sprintf("wrk.method = \"POST\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\nwrk.headers[\"X-Openrtb-Version\"] = \"2.6\"\nwrk.body = string.rep(\"x\", %d)\n", size)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return runOther(t, seconds, `Requests/sec:\s+([0-9.]+)`, "wrk", "-t1", "-c64", "-d"+strconv.Itoa(seconds)+"s", "-s", script, url+PathDefault)
}

func runH2load(t *testing.T, url string, size, seconds int) measured {
	body := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(body, []byte(strings.Repeat("x", size)), 0o600); err != nil {
		t.Fatal(err)
	}
	return runOther(t, seconds, `finished in [0-9.]+m?s, ([0-9.]+) req/s`, "h2load", "--h1", "-t1", "-c64", "-D"+strconv.Itoa(seconds), "-d", body,
		"-H", "Content-Type: application/json", "-H", "X-Openrtb-Version: 2.6", url+PathDefault)
}

// TestOtherGenerators compares with wrk and h2load: the throughput of a target whose limit is its
// own is the same, and a generator that has a processor to itself sends at least 0.8 of what wrk
// sends. RTBWIRE_LONG=1 runs it; what counts is processor time, but a busy machine still makes it
// fail.
func TestOtherGenerators(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("it takes a minute and wants two idle processors; RTBWIRE_LONG=1 runs it")
	}
	for _, program := range []string{"wrk", "h2load", "taskset"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s; on Debian apt-get install wrk nghttp2-client util-linux brings all programs", program)
		}
	}
	if runtime.NumCPU() < 2 {
		t.Skip("generator and target need a processor each")
	}
	best := func(url string, size, seconds int) (list []measured) {
		list = make([]measured, len(generators))
		for range 3 {
			for i, g := range generators {
				m := g.run(t, url, size, seconds)
				t.Logf("%s, %d bytes: %-6s %7.0f/s, %v of processor time a request", url, size, g.name, m.rate, m.cpu)
				if list[i].rate < m.rate {
					list[i].rate = m.rate
				}
				if list[i].cpu == 0 || list[i].cpu > m.cpu {
					list[i].cpu = m.cpu
				}
			}
		}
		return list
	}
	sink := "http://" + start(t, 0, "sink 0s")
	for _, size := range []int{800, 4096} {
		m := best(sink, size, 2)
		if ratio := m[0].rate / m[1].rate; ratio < 0.8 {
			t.Errorf("%d bytes: %.2f of wrk's rate", size, ratio)
		}
		if ratio := float64(m[1].cpu) / float64(m[0].cpu); ratio < 0.8 {
			t.Errorf("%d bytes: wrk takes %.2f of our processor time", size, ratio)
		}
	}
	// 64 connections and 100 ms for each answer: at most 640 a second, whoever asks.
	m := best("http://"+start(t, 0, "sink 100ms"), 800, 5)
	for i, g := range generators[1:] {
		if ratio := m[0].rate / m[i+1].rate; ratio < 0.95 || ratio > 1.05 {
			t.Errorf("%.3f of the throughput that %s measures", ratio, g.name)
		}
	}
}
