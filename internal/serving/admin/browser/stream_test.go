package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// streamConfig reads a folder, and posts what is accepted to a core.
const streamConfig = `version: 1
lists:
  blocked: {kind: domain, file: blocked.txt}
rules:
  - {name: expensive, when: "imp.exists(i, i.bidfloor > 15.0)", severity: refuse, nbr: 7, message: the floor is above what anybody pays}
  - {name: blocked-site, when: site.domain in lists.blocked, severity: refuse, nbr: 7, message: the site is on our block list}
  - {name: many-imps, when: "imp.size() > 1", severity: refuse, message: one impression at a time, shadow: true}
stream:
  %s
  upstream: http://%s
  admin: "127.0.0.1:0"
`

// feed appends simulated requests to a file, until the test ends.
func feed(t *testing.T, to string, perSecond int, flags ...string) {
	t.Helper()
	out, err := exec.Command(program, append([]string{"simulate", "--count", "20000"}, flags...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(out), "\n")
	file, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	t.Cleanup(func() { close(stop); <-done; file.Close() })
	go func() {
		defer close(done)
		each := max(perSecond/10, 1)
		for n := 0; ; n += each {
			at := n % (len(lines) - each)
			if _, err := file.WriteString(strings.Join(lines[at:at+each], "")); err != nil {
				return
			}
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
}

// streamStates is a stream to a core.
type streamStates struct {
	core    *process
	dir     string
	config  string
	address string
}

// startStreamStates starts a stream that reads two files, to which more and more is appended, or
// the topic bids of the brokers that RTBWIRE_BROKERS names, whose dead letters go to bids-refused.
func startStreamStates(t *testing.T) *streamStates {
	t.Helper()
	s := &streamStates{dir: t.TempDir()}
	s.core = start(t, "simulate", "core", "--listen", "127.0.0.1:0", "--bid", "60%", "--latency", "p50=2ms,p99=15ms")
	upstream := s.core.said(t, `http://(127\.0\.0\.1:\d+)`)
	source := fmt.Sprintf("files: {folder: %[1]s/in, positions: %[1]s/positions, dead_letters: %[1]s/refused.ndjson}", s.dir)
	if brokers := os.Getenv("RTBWIRE_BROKERS"); brokers != "" {
		source = fmt.Sprintf("brokers: %q\n  topics: bids\n  group: edge\n  dead_letters: bids-refused", brokers)
	} else {
		if err := os.Mkdir(filepath.Join(s.dir, "in"), 0o700); err != nil {
			t.Fatal(err)
		}
		feed(t, filepath.Join(s.dir, "in", "exchange-a.ndjson"), 120, "--defects", "4%", "--payloads", "1%")
		feed(t, filepath.Join(s.dir, "in", "exchange-b.ndjson"), 60, "--seed", "5", "--defects", "1%", "--fraud", "3%")
	}
	put(t, filepath.Join(s.dir, "blocked.txt"), "blocked.example\n")
	s.config = filepath.Join(s.dir, "rtbwire.yaml")
	put(t, s.config, fmt.Sprintf(streamConfig, source, upstream))
	p := start(t, "stream", "--config", s.config)
	s.address = p.said(t, `msg=administration address=(\S+)`)
	return s
}

// TestStreamStates shows a stream that is well, and then one whose upstream is gone, whose list has
// a bad line, and that has dead letters.
func TestStreamStates(t *testing.T) {
	s := startStreamStates(t)
	b := open(t, "http://"+s.address+"/", 1280, "light")
	b.await(t, state+` === "live" && document.getElementById("kind").textContent === "stream"`)
	b.await(t, number("Records")+` > 50`)
	b.await(t, `document.querySelectorAll("#lanes tbody tr").length >= 2 && document.querySelectorAll("#reasons tbody tr").length >= 5`)
	b.await(t, `document.querySelectorAll("#rejects details").length >= 5`)
	b.await(t, `/, (byte|offset) \d+/.test(document.querySelector("#rejects .partner").textContent)`)
	b.await(t, `[...document.querySelectorAll("#ends .state")].every((s) => s.className === "state good")`)
	b.await(t, `document.querySelector(".card[data-state=bad]") === null && document.getElementById("banners").textContent === ""`)
	if os.Getenv("RTBWIRE_PICTURES") != "" {
		time.Sleep(time.Minute)
	}
	b.pictures(t, "stream-healthy")

	s.core.kill()
	put(t, filepath.Join(s.dir, "blocked.txt"), "blocked.example\nno domain at all\n")
	put(t, s.config, "version: 1\nruels: []\n")
	for _, text := range []string{"The upstream is down", "The list blocked could not be loaded again", "The configuration could not be loaded again"} {
		b.await(t, fmt.Sprintf(`document.getElementById("banners").textContent.includes(%q)`, text))
	}
	b.await(t, `document.querySelector("#ends .state.bad").textContent.startsWith("down; ")`)
	b.await(t, `[...document.querySelectorAll(".card")].find((c) => c.textContent.startsWith("Destination")).dataset.state === "bad"`)
	if os.Getenv("RTBWIRE_PICTURES") != "" {
		time.Sleep(40 * time.Second)
	}
	ask[bool](t, b, `(document.querySelector("#rejects details").open = true)`)
	b.pictures(t, "stream-broken")
	b.check(t, s.address)
}
