package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/testkit/parent"
)

// tolerance is how far a share may be from the configured one.
const tolerance = 0.02

// connections are how many connections send requests, and so how many are lost at most with a core
// that breaks. The adaptive limit on requests never is below it.
const connections = gateway.OverloadLimitMin

// tmax is the member of a request, which simulated requests never have alone.
var tmax = regexp.MustCompile(`,\s*"tmax":\s*[0-9]+(\s*})|"tmax":\s*[0-9]+,()`)

// scenario is a configuration, and what its upstreams must get.
type scenario struct {
	name string
	run  func(t *testing.T, s *shares)
}

// scenarios are all of them. Those that only one system can do add themselves.
var scenarios = []scenario{
	{"weights", weights},
	{"canary", canary},
	{"mirror", mirror},
	{"drain", drain},
	{"zone", zone},
	{"slow start", slowStart},
	{"health path", healthPath},
	{"ejected for 5xx", ejectedForErrors},
	{"ejected for resets", ejectedForResets},
	{"ejected for latency", ejectedForLatency},
	{"ejected because it hangs", ejectedForSilence},
	{"ejected canary", ejectedCanary},
	{"nobody listens", nobodyListens},
	{"dies in the middle", diesInTheMiddle},
}

// TestShares sends recorded requests with "rtbwire replay" to a gateway with several cores, all of
// them processes of their own, and compares what each core has had with the configuration. Every
// request must be answered, and have been counted at a core or have a reason.
func TestShares(t *testing.T) {
	s := &shares{n: testkit.Scale(t, 4000, 20_000, 50_000), ejection: testkit.Scale(t, 3*time.Second, 10*time.Second, 30*time.Second)}
	// Without tmax, a slow machine changes nothing.
	text := tmax.ReplaceAllString(verb(t, "simulate", "--shape", "banner", "--count", strconv.Itoa(s.n)), "$1$2")
	if strings.Contains(text, `"tmax"`) {
		t.Fatal("requests have a tmax")
	}
	s.file = file(t, "requests.ndjson", text)
	for _, own := range scenarios {
		t.Run(own.name, func(t *testing.T) { own.run(t, s) })
	}
	t.Log("configured and measured shares\n" + s.table.String())
}

// shares is the traffic of all scenarios, and the table of what they have measured.
type shares struct {
	file string // with requests
	n    int    // how many these are
	// ejection is how long addresses are ejected in scenarios that wait for the end of it: longer
	// than it takes to send the requests.
	ejection time.Duration
	table    strings.Builder
}

// verb runs a verb of the program, and returns its standard output.
func verb(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	parent.EndWith(cmd)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", args[0], err, out, problems.String())
	}
	return string(out)
}

// member is a core of a cluster.
type member struct {
	name  string
	asked func(t *testing.T) int // requests that it has had
}

// simulatedAs starts a simulated core that is a member.
func simulatedAs(t *testing.T, name string, args ...string) (member, *process) {
	t.Helper()
	p := simulated(t, args...)
	return member{name, p.asked}, p
}

// cluster is a gateway with its cores.
type cluster struct {
	*process
	config string
	cores  []member
}

// clustered starts a gateway with the lines of the section gateway, in front of cores.
func clustered(t *testing.T, cores []member, lines ...string) *cluster {
	t.Helper()
	p, config := balanced(t, "fast", lines...)
	return &cluster{p, config, cores}
}

func (c *cluster) counts(t *testing.T) (n []int) {
	t.Helper()
	for _, core := range c.cores {
		n = append(n, core.asked(t))
	}
	return n
}

// phase is what has become of the requests of one run of the traffic.
type phase struct {
	sent      int
	forwarded int                // that have an answer of a core
	lost      int                // that were sent to a core and have none
	reasons   map[string]float64 // why requests have none
	arrived   []int              // at each core
}

// run sends all requests once, each connection the next one after an answer. It holds that each was
// answered, and that each without an answer of a core has a reason.
func (s *shares) run(t *testing.T, c *cluster, path string) phase {
	t.Helper()
	before, at := c.metrics(t), c.counts(t)
	var report struct {
		Target struct {
			Sent, Answered, Failed int
			Statuses               map[string]int
		}
	}
	out := verb(t, "replay", "--url", c.url()+path, "--once", "--rate", "max", "--connections", strconv.Itoa(connections),
		"--max-errors", "100%", "--timeout", "30s", "--json", s.file)
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	r := report.Target
	if r.Sent != s.n || r.Answered != r.Sent || r.Failed != 0 {
		t.Errorf("%d requests of %d were sent, %d answered, %d failed", r.Sent, s.n, r.Answered, r.Failed)
	}
	p := phase{sent: r.Sent, reasons: map[string]float64{}}
	var outcomes map[string]float64
	waitFor(t, "all requests to be counted", func() bool {
		outcomes = counted(before, c.metrics(t))
		all := 0.0
		for name, n := range outcomes {
			if strings.HasPrefix(name, "rtbwire_gateway_requests_total{") {
				all += n
			}
		}
		return all == float64(p.sent)
	})
	for i, n := range c.counts(t) {
		p.arrived = append(p.arrived, n-at[i])
	}
	p.forwarded = int(outcomes[requests("forwarded")])
	said := 0.0
	for name, n := range outcomes {
		if id, is := strings.CutPrefix(name, "rtbwire_gateway_rejected_total{reason="); is {
			p.reasons[strings.Trim(id, `"}`)] = n
			said += n
		}
	}
	if p.forwarded+int(said) != p.sent {
		t.Errorf("%d requests were sent: %d are forwarded, %v have a reason: %v", p.sent, p.forwarded, said, p.reasons)
	}
	if answered := r.Statuses["200"] + r.Statuses["204"]; answered < p.forwarded {
		t.Errorf("%d requests were forwarded, %d have an answer of a core: %v", p.forwarded, answered, r.Statuses)
	}
	for _, reason := range []string{"upstream-status", "upstream-broken", "upstream-slow"} {
		p.lost += int(p.reasons["gateway."+reason])
	}
	return p
}

// send is run, and holds that each request that a core has had was forwarded or lost, and the other
// way round.
func (s *shares) send(t *testing.T, c *cluster, path string) phase {
	t.Helper()
	p := s.run(t, c, path)
	if got := p.total(); got != p.forwarded+p.lost {
		t.Errorf("%d requests arrived at cores, while %d were forwarded and %d lost: %v", got, p.forwarded, p.lost, p.reasons)
	}
	return p
}

// total is how many requests have arrived.
func (p *phase) total() (n int) {
	for _, own := range p.arrived {
		n += own
	}
	return n
}

// unharmed sends all requests, and holds that none is lost.
func (s *shares) unharmed(t *testing.T, c *cluster, path string) phase {
	t.Helper()
	p := s.send(t, c, path)
	if len(p.reasons) > 0 {
		t.Errorf("requests have no answer of a core: %v", p.reasons)
	}
	return p
}

// want compares what cores have had with shares, given as parts of any sum.
func (s *shares) want(t *testing.T, what string, c *cluster, p phase, want ...float64) {
	t.Helper()
	sum := 0.0
	for _, w := range want {
		sum += w
	}
	for i, w := range want {
		s.row(t, what, c.cores[i].name, w/sum, p.arrived[i], p.total())
	}
}

// row adds a row to the table, and compares what is in it.
func (s *shares) row(t *testing.T, what, core string, want float64, got, of int) {
	t.Helper()
	share := float64(got) / float64(of)
	if math.Abs(share-want) > tolerance || want == 0 && got > 0 {
		t.Errorf("%s: %s has %.2f%% of %d requests, want %.2f%%", what, core, 100*share, of, 100*want)
	}
	fmt.Fprintf(&s.table, "%-44s %-9s %7.2f%% %7.2f%% %8d of %d\n", what, core, 100*want, 100*share, got, of)
}

// note adds a row without shares to the table.
func (s *shares) note(what, core string, got, of int) {
	fmt.Fprintf(&s.table, "%-44s %-9s %8s %8s %8d of %d\n", what, core, "", "", got, of)
}

// addresses is how many addresses of an upstream are in a state.
func (c *cluster) addresses(t *testing.T, upstream, state string) float64 {
	t.Helper()
	return c.metrics(t)[fmt.Sprintf(`rtbwire_gateway_upstream_addresses{state=%q,upstream=%q}`, state, upstream)]
}

// await waits until an upstream with one address is in a state.
func (c *cluster) await(t *testing.T, upstream, state string) {
	t.Helper()
	waitFor(t, upstream+" to be "+state, func() bool { return c.addresses(t, upstream, state) == 1 })
}

// reload replaces the lines of the section gateway.
func (c *cluster) reload(t *testing.T, lines ...string) {
	t.Helper()
	const generation = "rtbwire_gateway_config_generation"
	before := c.metrics(t)[generation]
	replace(t, c.config, balancedText(lines...))
	c.Signal(t, syscall.SIGHUP)
	waitFor(t, "the reload", func() bool { return c.metrics(t)[generation] > before })
}

// killed ends a process at once.
func killed(t *testing.T, p *process) {
	t.Helper()
	p.Signal(t, syscall.SIGKILL)
	<-p.Ended
}

// again starts a core at the address of one that has ended.
func again(t *testing.T, p *process, args ...string) *process {
	t.Helper()
	return launch(t, 1, exec.Command(program, append([]string{"simulate", "core", "--listen", p.address}, args...)...))
}

func weights(t *testing.T, s *shares) {
	a, pa := simulatedAs(t, "a")
	b, pb := simulatedAs(t, "b")
	d, pd := simulatedAs(t, "c")
	c := clustered(t, []member{a, b, d}, fmt.Sprintf("upstreams: [{name: a, url: %q, weight: 1}, {name: b, url: %q, weight: 2}, {name: c, url: %q, weight: 5}]", pa.url(), pb.url(), pd.url()))
	s.want(t, "weights 1:2:5", c, s.unharmed(t, c, path), 1, 2, 5)
}

func canary(t *testing.T, s *shares) {
	a, pa := simulatedAs(t, "a")
	b, pb := simulatedAs(t, "b")
	next, pn := simulatedAs(t, "canary")
	own, po := simulatedAs(t, "routed")
	c := clustered(t, []member{a, b, next, own},
		fmt.Sprintf("upstreams: [{name: a, url: %q}, {name: b, url: %q}, {name: canary, url: %q, canary: 10%%}, {name: routed, url: %q, routed: true}]", pa.url(), pb.url(), pn.url(), po.url())+
			"\npartners: {half: {match: {path: /half}, canary: 50%}, none: {match: {path: /none}, canary: 0%}, routed: {match: {path: /routed}, upstreams: [routed]}}")
	s.want(t, "canary 10%", c, s.unharmed(t, c, path), 0.45, 0.45, 0.1, 0)
	s.want(t, "canary 50% of a partner", c, s.unharmed(t, c, "/half"), 0.25, 0.25, 0.5, 0)
	s.want(t, "canary 0% of a partner", c, s.unharmed(t, c, "/none"), 0.5, 0.5, 0, 0)
	s.want(t, "a partner's route", c, s.unharmed(t, c, "/routed"), 0, 0, 0, 1)
	killed(t, pn)
	c.cores = []member{a, b}
	s.want(t, "canary 50% of a partner, which is dead", c, s.unharmed(t, c, "/half"), 1, 1)
}

func mirror(t *testing.T, s *shares) {
	a, pa := simulatedAs(t, "a")
	copies, pm := simulatedAs(t, "mirror")
	c := clustered(t, []member{a}, fmt.Sprintf("upstreams: [{name: a, url: %q}, {name: mirror, url: %q, mirror: 20%%}]", pa.url(), pm.url()), "max: {mirror_queue: 1048576, mirror_requests: 16}")
	// made is how many copies were made or left out.
	made := func(results ...string) (n int) {
		m := c.metrics(t)
		for _, result := range results {
			n += int(m[fmt.Sprintf(`rtbwire_gateway_upstream_mirrored_total{result=%q,upstream="mirror"}`, result)])
		}
		return n
	}
	p := s.unharmed(t, c, path)
	each := made("sent", "dropped", "absent")
	waitFor(t, "the copies", func() bool { each = made("sent"); return copies.asked(t) == each && each > 0 })
	s.want(t, "mirror 20%", c, p, 1)
	s.row(t, "mirror 20%", "mirror", 0.2, each, p.sent)
	if left := made("dropped", "absent"); left != 0 {
		t.Errorf("%d copies were left out", left)
	}

	pm.Signal(t, syscall.SIGSTOP)
	s.want(t, "mirror 20%, which hangs", c, s.unharmed(t, c, path), 1)
	killed(t, pm)
	s.want(t, "mirror 20%, which is dead", c, s.unharmed(t, c, path), 1)
	waitFor(t, "all copies to be counted", func() bool { return made("sent", "dropped", "absent") == 3*each })
}

func drain(t *testing.T, s *shares) {
	a, pa := simulatedAs(t, "a")
	b, pb := simulatedAs(t, "b")
	d, pd := simulatedAs(t, "c")
	const token = "0123456789abcdef"
	tokens := file(t, "tokens", "operator "+token+"\n")
	c := clustered(t, []member{a, b, d}, fmt.Sprintf("upstreams: [{name: a, url: %q}, {name: b, url: %q}, {name: c, url: %q}]", pa.url(), pb.url(), pd.url()),
		fmt.Sprintf("operators: {token_files: [%q]}\npartners: {exchange-a: {match: {path: /a}}}", tokens))
	admin := c.admin
	c.admin = "operator:" + token + "@" + admin // for metrics
	ctl := func(args ...string) {
		verb(t, append([]string{"ctl"}, append(args, "--admin", admin, "--token-file", tokens)...)...)
	}

	s.want(t, "before a drain", c, s.unharmed(t, c, path), 1, 1, 1)
	ctl("drain", "upstream", "b")
	s.want(t, "ctl drain upstream b", c, s.unharmed(t, c, path), 1, 0, 1)
	ctl("drain", "partner", "exchange-a")
	p := s.send(t, c, "/a")
	s.row(t, "ctl drain partner exchange-a", "no-bid", 1, int(p.reasons["gateway.drained"]), p.sent)
	if p.total() != 0 {
		t.Errorf("%d requests of a drained partner arrived", p.total())
	}
	s.want(t, "others, meanwhile", c, s.unharmed(t, c, path), 1, 0, 1)
	ctl("release", "drain", "partner", "exchange-a")
	ctl("release", "drain", "upstream", "b")
	s.want(t, "ctl release", c, s.unharmed(t, c, "/a"), 1, 1, 1)
}

// checked are health checks that find out quickly.
const checked = "health_check: {path: /healthz, interval: 100ms, unhealthy_threshold: 2}"

func zone(t *testing.T, s *shares) {
	a, pa := simulatedAs(t, "near-a")
	b, pb := simulatedAs(t, "near-b")
	far, pf := simulatedAs(t, "far")
	c := clustered(t, []member{a, b, far}, fmt.Sprintf("upstreams: [{name: near-a, url: %q, zone: eu-1}, {name: near-b, url: %q, zone: eu-1}, {name: far, url: %q, zone: eu-2}]", pa.url(), pb.url(), pf.url()), "zone: eu-1", checked)
	s.want(t, "zone", c, s.unharmed(t, c, path), 1, 1, 0)
	killed(t, pb)
	c.await(t, "near-b", "failing")
	c.cores = []member{a, far}
	s.want(t, "half of the zone is gone: 1.4 times a half", c, s.unharmed(t, c, path), 0.7, 0.3)
	killed(t, pa)
	c.await(t, "near-a", "failing")
	c.cores = []member{far}
	s.want(t, "the zone is gone", c, s.unharmed(t, c, path), 1)
	pa = again(t, pa)
	c.await(t, "near-a", "healthy")
	c.cores = []member{{"near-a", pa.asked}, far}
	s.want(t, "half of the zone is back", c, s.unharmed(t, c, path), 0.7, 0.3)
}

// slowStart has a window of an hour, so that an address that is back has its first share as long as
// the test takes.
func slowStart(t *testing.T, s *shares) {
	a, pa := simulatedAs(t, "a")
	b, pb := simulatedAs(t, "b")
	d, pd := simulatedAs(t, "back")
	lines := []string{fmt.Sprintf("upstreams: [{name: a, url: %q}, {name: b, url: %q}, {name: back, url: %q}]", pa.url(), pb.url(), pd.url()), checked}
	c := clustered(t, []member{a, b, d}, append(lines, "slow_start: 1h")...)
	s.want(t, "slow start: none at the beginning", c, s.unharmed(t, c, path), 1, 1, 1)
	killed(t, pd)
	c.await(t, "back", "failing")
	pd = again(t, pd)
	c.await(t, "back", "healthy")
	c.cores[2] = member{"back", pd.asked}
	s.want(t, "slow start: a tenth of a share", c, s.unharmed(t, c, path), 1, 1, 0.1)
	c.reload(t, lines...)
	s.want(t, "slow start: off, by a reload", c, s.unharmed(t, c, path), 1, 1, 1)
}

func healthPath(t *testing.T, s *shares) {
	a, pa := simulatedAs(t, "a")
	b, pb := simulatedAs(t, "failing")
	d, pd := simulatedAs(t, "c")
	c := clustered(t, []member{a, b, d}, fmt.Sprintf("upstreams: [{name: a, url: %q}, {name: failing, url: %q, health_path: /nothing-here}, {name: c, url: %q}]", pa.url(), pb.url(), pd.url()), checked)
	c.await(t, "failing", "failing")
	s.want(t, "one fails its health checks", c, s.unharmed(t, c, path), 1, 0, 1)
}

// ejects sends requests until the upstream bad is ejected, and then all of them once more, of which
// it gets none.
func (s *shares) ejects(t *testing.T, c *cluster, cause string) {
	t.Helper()
	ejections := func() int { return strings.Count(c.Text(), "upstream ejected") }
	lost := 0
	for end := time.Now().Add(patience); ejections() == 0; {
		if lost += s.send(t, c, path).lost; time.Now().After(end) {
			t.Fatalf("it was not ejected: %s", c.Text())
		}
	}
	if !strings.Contains(c.Text(), cause) {
		t.Errorf("it was not ejected because %s: %s", cause, c.Text())
	}
	p := s.send(t, c, path)
	if c.addresses(t, "bad", "ejected") != 1 || ejections() > 1 {
		t.Log("this machine is too slow to look at the ejection")
		return
	}
	s.want(t, "ejected: "+cause, c, p, 0, 1, 1)
	if len(p.reasons) > 0 {
		t.Errorf("while it is ejected: %v", p.reasons)
	}
	// Five in a row, and those that were under way.
	if lost > 5+connections {
		t.Errorf("%d requests are lost", lost)
	}
	s.note("lost until then", "bad", lost, s.n)
}

// besides starts a gateway with two good cores beside a bad one.
func besides(t *testing.T, bad member, badURL string, lines ...string) *cluster {
	t.Helper()
	a, pa := simulatedAs(t, "a")
	b, pb := simulatedAs(t, "b")
	upstreams := fmt.Sprintf("upstreams: [{name: bad, url: %q}, {name: a, url: %q}, {name: b, url: %q}]", badURL, pa.url(), pb.url())
	return clustered(t, []member{bad, a, b}, append([]string{upstreams}, lines...)...)
}

func ejectedForErrors(t *testing.T, s *shares) {
	bad, pb := simulatedAs(t, "bad", "--bid", "0%", "--error", "100%")
	c := besides(t, bad, pb.url(), fmt.Sprintf("outlier: {base_ejection_time: %v}", s.ejection))
	s.ejects(t, c, "an answer of status 500")
	pb.Stop(t)
	pb = again(t, pb)
	c.cores[0] = member{"bad", pb.asked}
	c.await(t, "bad", "healthy")
	s.want(t, "back after its time", c, s.unharmed(t, c, path), 1, 1, 1)
}

func ejectedForResets(t *testing.T, s *shares) {
	var broken atomic.Bool
	broken.Store(true)
	bad := newTap(t, func() bool { return !broken.Load() })
	c := besides(t, member{"bad", bad.asked}, bad.url(), fmt.Sprintf("outlier: {base_ejection_time: %v}", s.ejection))
	s.ejects(t, c, "requests in a row were lost")
	broken.Store(false)
	// Its breaker is open too: a request finds out that it is back.
	again := s.send(t, c, path)
	waitFor(t, "the address to be back", func() bool {
		if c.addresses(t, "bad", "healthy") == 1 {
			return true
		}
		again = s.send(t, c, path)
		return false
	})
	if again.lost != 0 {
		t.Errorf("%d requests are lost when it is back", again.lost)
	}
	s.want(t, "back after resets", c, s.unharmed(t, c, path), 1, 1, 1)
}

func ejectedForLatency(t *testing.T, s *shares) {
	bad, pb := simulatedAs(t, "bad", "--latency", "60ms")
	c := besides(t, bad, pb.url(), "outlier: {latency: 2, interval: 1s, base_ejection_time: 1h, max_ejection_time: 1h}")
	s.ejects(t, c, "its answers are slow")
}

// ejectedForSilence has a core that keeps its connections and answers nothing any more. Requests
// have a tmax that is much shorter than the time for upstreams, as those of exchanges do.
func ejectedForSilence(t *testing.T, s *shares) {
	bad, pb := simulatedAs(t, "bad")
	c := besides(t, bad, pb.url(), "outlier: {base_ejection_time: 1h, max_ejection_time: 1h}\npartners: {p: {match: {path: /p}, tmax: 2000}}")
	s.want(t, "before it hangs", c, s.unharmed(t, c, "/p"), 1, 1, 1)
	pb.Signal(t, syscall.SIGSTOP)
	c.cores = c.cores[1:] // it can't be asked
	p := s.run(t, c, "/p")
	s.want(t, "ejected because it hangs", c, p, 1, 1)
	if p.lost > 5+connections {
		t.Errorf("%d requests are lost: %v", p.lost, p.reasons)
	}
	s.note("lost until then", "bad", p.lost, s.n)
	s.want(t, "and once more", c, s.unharmed(t, c, "/p"), 1, 1)
}

// ejectedCanary has a canary that answers with errors, and then another core: both are ejected.
func ejectedCanary(t *testing.T, s *shares) {
	failing := []string{"--bid", "0%", "--error", "100%"}
	bad, pb := simulatedAs(t, "bad")
	a, pa := simulatedAs(t, "a")
	next, pn := simulatedAs(t, "canary", failing...)
	c := clustered(t, []member{bad, a, next}, "outlier: {base_ejection_time: 1h, max_ejection_time: 1h}",
		fmt.Sprintf("upstreams: [{name: bad, url: %q}, {name: a, url: %q}, {name: canary, url: %q, canary: 30%%}]", pb.url(), pa.url(), pn.url()))
	first := s.send(t, c, path)
	if c.addresses(t, "canary", "ejected") != 1 || first.lost > 5+connections {
		t.Errorf("a canary that answers with errors: %d requests are lost", first.lost)
	}
	s.want(t, "ejected canary", c, s.unharmed(t, c, path), 1, 1, 0)
	pb.Stop(t)
	pb = again(t, pb, failing...)
	c.cores[0] = member{"bad", pb.asked}
	if p := s.send(t, c, path); c.addresses(t, "bad", "ejected") != 1 || p.lost > 5+connections {
		t.Errorf("an upstream that answers with errors, beside such a canary: %d requests are lost", p.lost)
	}
	s.want(t, "ejected canary and another one", c, s.unharmed(t, c, path), 0, 1, 0)
}

// nobodyListens has an address without anybody behind it: its requests go to the others.
func nobodyListens(t *testing.T, s *shares) {
	a, pa := simulatedAs(t, "a")
	b, pb := simulatedAs(t, "b")
	gone, pg := simulatedAs(t, "gone")
	killed(t, pg)
	c := clustered(t, []member{a, b}, fmt.Sprintf("upstreams: [{name: a, url: %q}, {name: b, url: %q}, {name: %s, url: %q}]", pa.url(), pb.url(), gone.name, pg.url()))
	s.want(t, "nobody listens at a third address", c, s.unharmed(t, c, path), 1, 1)
	s.want(t, "and once more", c, s.unharmed(t, c, path), 1, 1)
}

// diesInTheMiddle has a core die with requests that it has read, and others that are on their way.
// These are lost; no other request is, and none is sent twice.
func diesInTheMiddle(t *testing.T, s *shares) {
	taps := []*tap{newTap(t, nil), newTap(t, nil), newTap(t, nil)}
	var list []member
	var urls []string
	for i, own := range taps {
		list = append(list, member{string(rune('a' + i)), own.asked})
		urls = append(urls, own.url())
	}
	c := clustered(t, list, fmt.Sprintf("upstreams: [%q, %q, %q]", urls[0], urls[1], urls[2]))
	taps[0].limit.Store(int64(s.n / 9))
	p := s.run(t, c, path)
	if p.lost == 0 || p.lost > connections || len(p.reasons) > 1 {
		t.Errorf("%d requests are lost with the core: %v", p.lost, p.reasons)
	}
	ids := map[string]int{}
	for _, own := range taps {
		for id, n := range own.seen {
			ids[id] += n
		}
	}
	twice := 0
	for id, n := range ids {
		if n > 1 {
			twice++
			t.Errorf("the request %s was sent %d times", id, n)
		}
	}
	// A core that dies may not have read what was written to it.
	if missing := p.sent - len(ids); missing > p.lost {
		t.Errorf("%d requests arrived nowhere, and %d are lost", missing, p.lost)
	}
	s.note("a core dies: requests lost with it", "a", p.lost, p.sent)
	s.note("a core dies: requests sent twice", "all", twice, p.sent)
	c.cores = list[1:]
	s.want(t, "the two that are left", c, s.unharmed(t, c, path), 1, 1)
}

// tap is a simulated core, a process of its own, behind a server of the test that keeps the ids of
// the requests that it has read, and can break.
type tap struct {
	*upstream
	core  *process
	limit atomic.Int64 // of requests, after which it dies; 0: none
	had   atomic.Int64

	dies sync.Once
	mu   sync.Mutex
	seen map[string]int // by id; to be read when nothing is under way
}

// newTap starts a tap. A function that returns false has it break a connection in place of an
// answer.
func newTap(t *testing.T, works func() bool) *tap {
	t.Helper()
	own := &tap{core: simulated(t), seen: map[string]int{}}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	t.Cleanup(client.CloseIdleConnections)
	own.upstream = newUpstream(t, func(c net.Conn, m *message) bool {
		own.read(t, m)
		if n := own.had.Add(1); own.limit.Load() > 0 && n >= own.limit.Load() {
			own.dies.Do(own.die)
			return false
		}
		if works != nil && !works() {
			reset(c)
			return false
		}
		resp, err := client.Post(own.core.url(), "application/json", bytes.NewReader(m.body))
		if err != nil {
			return false // it dies
		}
		defer resp.Body.Close()
		return resp.Write(c) == nil
	})
	own.forget()
	return own
}

// asked is how many requests have arrived.
func (own *tap) asked(*testing.T) int { return int(own.had.Load()) }

// read notes the id of a request.
func (own *tap) read(t *testing.T, m *message) {
	var request struct{ ID string }
	if err := json.Unmarshal(m.body, &request); err != nil {
		t.Errorf("%v: %s", err, m.body)
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	own.seen[request.ID]++
}

// die kills the core, refuses connections and resets those that there are.
func (own *tap) die() {
	_ = own.core.Process.Kill()
	_ = own.Close()
	own.upstream.mu.Lock()
	defer own.upstream.mu.Unlock()
	own.closing = true
	for c := range own.conns {
		reset(c)
	}
}
