package http

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// senders is how many clients of a test send at the same time, each the next request after an
// answer.
const senders = 8

// load sends requests until it is stopped.
type load struct {
	sent, good atomic.Int64
	bad        sync.Map // statuses, and what else is not a good answer
	stop       atomic.Bool
	all        sync.WaitGroup
}

// start begins to send requests with different ids.
func (l *load) start(t *testing.T, p *process) *load {
	t.Helper()
	for range senders {
		c := connect(t, p)
		_ = c.SetDeadline(time.Time{})
		l.all.Go(func() {
			for !l.stop.Load() {
				n := l.sent.Add(1)
				c.send(post(identified(fmt.Sprint("load-", n))))
				switch r, err := c.read(http.MethodPost); {
				case err != nil:
					l.failed(err.Error())
					return
				case r.StatusCode != http.StatusOK && r.StatusCode != http.StatusNoContent:
					l.failed(r.Status)
				default:
					l.good.Add(1)
				}
			}
		})
	}
	t.Cleanup(func() { l.end() })
	return l
}

func (l *load) failed(what string) {
	n, _ := l.bad.LoadOrStore(what, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

// more waits until n more requests have good answers.
func (l *load) more(t *testing.T, n int) {
	t.Helper()
	want := l.good.Load() + int64(n)
	waitFor(t, fmt.Sprint(n, " good answers"), func() bool { return l.good.Load() >= want })
}

// end stops, and returns how many requests had no good answer.
func (l *load) end() (lost int64) {
	l.stop.Store(true)
	l.all.Wait()
	return l.sent.Load() - l.good.Load()
}

// what says which answers were not good.
func (l *load) what() string {
	var list []string
	l.bad.Range(func(status, n any) bool {
		list = append(list, fmt.Sprint(n.(*atomic.Int64).Load(), " times ", status))
		return true
	})
	return strings.Join(list, ", ")
}

// asked is how many requests a simulated core has had.
func (p *process) asked(t *testing.T) int {
	t.Helper()
	resp, err := http.Get("http://" + p.address + "/stats")
	if err != nil {
		t.Fatalf("%v: %s", err, p.Text())
	}
	defer resp.Body.Close()
	var stats struct{ Requests int }
	if err := json.NewDecoder(resp.Body).Decode(&stats); err != nil {
		t.Fatal(err)
	}
	return stats.Requests
}

// counts is how many requests several cores have had.
func counts(t *testing.T, cores ...*process) (n []int) {
	t.Helper()
	for _, c := range cores {
		n = append(n, c.asked(t))
	}
	return n
}

// wantShares compares the shares of cores, since a look before, with what they should be, within 2%
// of all requests.
func wantShares(t *testing.T, what string, before, after []int, want ...float64) {
	t.Helper()
	sum, all := 0, 0.0
	for i := range want {
		sum += after[i] - before[i]
		all += want[i]
	}
	for i, w := range want {
		if got := float64(after[i]-before[i]) / float64(sum); math.Abs(got-w/all) > 0.02 {
			t.Errorf("%s: core %d has %.3f of %d requests, want %.3f", what, i, got, sum, w/all)
		}
	}
}

// underLoad runs a test with the fast server, and with the other one too where there is time: the
// code of upstreams is the same.
func underLoad(t *testing.T, test func(t *testing.T, plane string)) {
	bothPlanes(t, func(t *testing.T, plane string) {
		if plane == "std" && !testkit.Long(t) {
			t.Skip("both planes have the same code here")
		}
		test(t, plane)
	})
}

// balanced starts a gateway with the lines of the section gateway.
func balanced(t *testing.T, plane string, lines ...string) (p *process, config string) {
	t.Helper()
	config = file(t, "rtbwire.yaml", balancedText(lines...))
	return serveWith(t, plane, func(*exec.Cmd) {}, "--config", config), config
}

func balancedText(lines ...string) string {
	return "version: 1\ngateway:\n  windows: false\n  timeouts: {upstream: 30s}\n  " + strings.Join(lines, "\n  ") + "\n"
}

func (p *process) url() string { return "http://" + p.address }

// TestWeightsUnderLoad shares requests by weight between processes, and changes the weights, and
// the set itself, by a reload, without losing any.
func TestWeightsUnderLoad(t *testing.T) {
	underLoad(t, func(t *testing.T, plane string) {
		n := testkit.Scale(t, 500, 2000, 50_000)
		a, b, c := simulated(t), simulated(t), simulated(t)
		set := func(weights ...int) string {
			text := "upstreams:"
			for i, core := range []*process{a, b, c} {
				if weights[i] > 0 {
					text += fmt.Sprintf("\n    - {name: core-%d, url: %q, weight: %d}", i, core.url(), weights[i])
				}
			}
			return text
		}
		p, config := balanced(t, plane, set(5, 3, 2))
		l := new(load).start(t, p)
		for round, weights := range [][]int{{5, 3, 2}, {1, 1, 8}, {0, 1, 3}, {1, 1, 1}} {
			if round > 0 {
				generation := p.metrics(t)["rtbwire_gateway_config_generation"]
				replace(t, config, balancedText(set(weights...)))
				p.Signal(t, syscall.SIGHUP)
				waitFor(t, "the reload", func() bool { return p.metrics(t)["rtbwire_gateway_config_generation"] > generation })
				l.more(t, senders) // those that were under way
			}
			before := counts(t, a, b, c)
			l.more(t, n)
			wantShares(t, fmt.Sprint(weights), before, counts(t, a, b, c), float64(weights[0]), float64(weights[1]), float64(weights[2]))
		}
		if lost := l.end(); lost != 0 {
			t.Errorf("%d of %d requests are lost: %s", lost, l.sent.Load(), l.what())
		}
		if got := a.asked(t) + b.asked(t) + c.asked(t); got != int(l.sent.Load()) {
			t.Errorf("%d requests arrived, %d were sent", got, l.sent.Load())
		}
	})
}

// replace writes a file in place of another one, in one step.
func replace(t *testing.T, path, text string) {
	t.Helper()
	next := filepath.Join(filepath.Dir(path), "next")
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
}

// TestCanaryAndMirrorUnderLoad sends a share of requests to one core, and copies of another share
// to a second one. One that is slow delays nobody, and one that is killed costs nothing.
func TestCanaryAndMirrorUnderLoad(t *testing.T) {
	underLoad(t, func(t *testing.T, plane string) {
		n := testkit.Scale(t, 2000, 6000, 100_000)
		main, canary, mirror := simulated(t), simulated(t), simulated(t, "--latency", "20ms")
		p, _ := balanced(t, plane, fmt.Sprintf("upstreams:\n    - {name: main, url: %q}\n    - {name: canary, url: %q, canary: 10%%}\n    - {name: mirror, url: %q, mirror: 5%%}", main.url(), canary.url(), mirror.url()),
			"max: {mirror_queue: 65536, mirror_requests: 256}")
		l := new(load).start(t, p)
		l.more(t, n)
		l.stop.Store(true)
		l.all.Wait()
		sent := int(l.sent.Load())
		wantShares(t, "canary", []int{0, 0}, counts(t, main, canary), 0.9, 0.1)
		if got := main.asked(t) + canary.asked(t); got != sent || l.good.Load() != l.sent.Load() {
			t.Errorf("%d requests arrived of %d, %d have good answers: %s", got, sent, l.good.Load(), l.what())
		}
		mirrored := func() float64 {
			return p.metrics(t)[`rtbwire_gateway_upstream_responses_total{code="2xx",upstream="mirror"}`]
		}
		waitFor(t, "the copies", func() bool { return mirrored() == float64(mirror.asked(t)) && mirrored() > 0 })
		if share := mirrored() / float64(sent); math.Abs(share-0.05) > 0.02 {
			t.Errorf("copies of %.3f of all requests", share)
		}
		if dropped := p.metrics(t)[`rtbwire_gateway_upstream_mirrored_total{result="dropped",upstream="mirror"}`]; dropped != 0 {
			t.Errorf("%v copies were dropped", dropped)
		}
		// Without canary and mirror all goes on.
		for _, core := range []*process{canary, mirror} {
			core.Signal(t, syscall.SIGKILL)
			<-core.Ended
		}
		again := new(load).start(t, p)
		again.more(t, n/4)
		if lost := again.end(); lost != 0 {
			t.Errorf("%d requests are lost with the canary: %s", lost, again.what())
		}
	})
}

// TestEjectionUnderLoad has one of three cores answer with errors: it is ejected, and nothing else
// is lost. A good one that takes its place gets its share again after the time of the ejection.
func TestEjectionUnderLoad(t *testing.T) {
	underLoad(t, func(t *testing.T, plane string) {
		n := testkit.Scale(t, 500, 3000, 50_000)
		good := []*process{simulated(t), simulated(t)}
		bad := simulated(t, "--bid", "0%", "--error", "100%")
		const ejection = 3 * time.Second
		p, _ := balanced(t, plane, fmt.Sprintf("upstreams:\n    - {name: bad, url: %q}\n    - {name: b, url: %q}\n    - {name: c, url: %q}", bad.url(), good[0].url(), good[1].url()),
			fmt.Sprintf("outlier: {base_ejection_time: %v}", ejection))
		state := func(name string) float64 {
			return p.metrics(t)[fmt.Sprintf(`rtbwire_gateway_upstream_addresses{state=%q,upstream="bad"}`, name)]
		}
		l := new(load).start(t, p)
		waitFor(t, "the ejection", func() bool { return state("ejected") == 1 })
		began := time.Now()
		bad.Stop(t)
		back := launch(t, 1, exec.Command(program, "simulate", "core", "--listen", bad.address))
		before := counts(t, good...)
		l.more(t, n)
		if time.Since(began) < ejection/2 {
			wantShares(t, "while it is ejected", before, counts(t, good...), 1, 1)
			if got := back.asked(t); got != 0 {
				t.Errorf("%d requests to an ejected core", got)
			}
		} else {
			t.Log("this machine is too slow to look at an ejection")
		}
		waitFor(t, "the end of the ejection", func() bool { return state("healthy") == 1 })
		if took := time.Since(began); took < ejection-time.Second {
			t.Errorf("it is back after %v", took)
		}
		l.more(t, senders)
		all := append(good, back)
		before = counts(t, all...)
		l.more(t, n)
		wantShares(t, "after the ejection", before, counts(t, all...), 1, 1, 1)
		lost := l.end()
		// Five in a row, and those that were under way.
		if most := int64(5 + senders); lost < 5 || lost > most {
			t.Errorf("%d requests had no good answer, want 5 to %d: %s", lost, most, l.what())
		}
		if !strings.Contains(p.Text(), "upstream ejected") || !strings.Contains(p.Text(), "the ejection of an upstream is over") {
			t.Errorf("the log does not say so: %s", p.Text())
		}
	})
}

// TestKilledUnderLoad kills one of three cores: what it had is lost, and nothing else. It is used
// again when it is back.
func TestKilledUnderLoad(t *testing.T) {
	underLoad(t, func(t *testing.T, plane string) {
		n := testkit.Scale(t, 500, 2000, 50_000)
		cores := []*process{simulated(t, "--latency", "2ms"), simulated(t, "--latency", "2ms"), simulated(t, "--latency", "2ms")}
		p, _ := balanced(t, plane, fmt.Sprintf("upstreams: [%q, %q, %q]", cores[0].url(), cores[1].url(), cores[2].url()),
			"outlier: {base_ejection_time: 1s}", "health_check: {path: /healthz, interval: 200ms}")
		l := new(load).start(t, p)
		l.more(t, n/2)
		cores[0].Signal(t, syscall.SIGKILL)
		<-cores[0].Ended
		before := counts(t, cores[1:]...)
		l.more(t, n)
		wantShares(t, "without the killed one", before, counts(t, cores[1:]...), 1, 1)
		cores[0] = launch(t, 1, exec.Command(program, "simulate", "core", "--listen", cores[0].address, "--latency", "2ms"))
		waitFor(t, "the core that is back", func() bool {
			return p.metrics(t)[fmt.Sprintf(`rtbwire_gateway_upstream_addresses{state="healthy",upstream=%q}`, cores[0].url())] == 1
		})
		l.more(t, senders)
		before = counts(t, cores...)
		l.more(t, n)
		wantShares(t, "with the one that is back", before, counts(t, cores...), 1, 1, 1)
		if lost := l.end(); lost > senders {
			t.Errorf("%d requests are lost, more than the core can have had: %s", lost, l.what())
		}
	})
}

// TestLastUpstreamsUnderLoad has the health checks of all cores fail: they are used all the same,
// because nobody else is left.
func TestLastUpstreamsUnderLoad(t *testing.T) {
	n := testkit.Scale(t, 200, 1000, 10_000)
	a, b := simulated(t), simulated(t)
	p, _ := balanced(t, "fast", fmt.Sprintf("upstreams: [%q, %q]", a.url(), b.url()), "health_check: {path: /nothing-here, interval: 100ms}")
	waitFor(t, "the panic", func() bool { return p.metrics(t)["rtbwire_gateway_upstream_panic"] == 1 })
	if got := p.metrics(t)["rtbwire_gateway_upstream_available"]; got != 0 {
		t.Errorf("%v addresses are healthy", got)
	}
	l := new(load).start(t, p)
	l.more(t, n)
	if lost := l.end(); lost != 0 {
		t.Errorf("%d requests are lost: %s", lost, l.what())
	}
}
