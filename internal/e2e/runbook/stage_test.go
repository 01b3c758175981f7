package runbook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/rtbwire/rtbwire/internal/testkit/running"
)

// stage is a process under test, with what is around it.
type stage struct {
	*testing.T
	service   string // the job of its metrics
	folder    string
	began     time.Time
	core      *core
	other     *core  // where there are two
	good      string // what the usual requests are
	cluster   *kfake.Cluster
	collector *httptest.Server
	feed      func(body string, n int) // gives records to a stream, nil for a gateway
	process   *running.Program

	address, admin string // where it listens
	token          string // for the admin port, "" if it asks for none
	client         *http.Client
	ids            atomic.Int64
	mark           int // how much of the log was there before the fault
}

var announced = regexp.MustCompile(`msg=(listening|administration)\b.*\baddress=(\S+)`)

func newStage(t *testing.T, service string) *stage {
	t.Helper()
	s := &stage{T: t, began: time.Now(), good: good, service: service, folder: t.TempDir(), client: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

// path is that of a file of the stage.
func (s *stage) path(name string) string { return filepath.Join(s.folder, name) }

// write writes a file, in place of another one, in one step.
func (s *stage) write(name, text string) string {
	s.Helper()
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path+".next", []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Rename(path+".next", path); err != nil {
		s.Fatal(err)
	}
	return path
}

// must ends the test at an error.
func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// start starts the program. With ends it has to end by itself; otherwise start waits until it says
// where it listens.
func (s *stage) start(cmd *exec.Cmd, ends bool, addresses int) {
	s.Helper()
	ready, wanted := make(chan struct{}), int64(addresses)
	var count atomic.Int64
	var mu sync.Mutex
	s.process = running.Start(s.T, cmd, patience, func(line string) {
		m := announced.FindStringSubmatch(line)
		if m == nil {
			return
		}
		mu.Lock()
		switch {
		case m[1] == "administration":
			s.admin = m[2]
		case s.address == "": // the first one is without TLS
			s.address = m[2]
		}
		mu.Unlock()
		if count.Add(1) == wanted {
			close(ready)
		}
	})
	if ends {
		s.process.Status(s.T)
		return
	}
	select {
	case <-ready:
	case <-s.process.Ended:
		s.Fatalf("it has ended: %s", s.process.Text())
	case <-time.After(patience):
		s.Fatalf("it does not listen: %s", s.process.Text())
	}
}

// hasEnded reports whether the process has.
func (s *stage) hasEnded() bool {
	select {
	case <-s.process.Ended:
		return true
	default:
		return false
	}
}

// logged waits for a line of the log since the fault.
func (s *stage) logged(text string) {
	s.Helper()
	s.until("a line of the log: "+text, func() bool { return len(s.lines(text)) > 0 })
}

// until waits until something holds.
func (s *stage) until(what string, holds func() bool) {
	s.Helper()
	running.WaitFor(s.T, patience, what, holds)
}

// good is a bid request that the default configuration accepts.
const good = `{"id":"%s","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"a.example","publisher":{"id":"pub-1"}},"device":{"ua":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","ip":"8.8.8.8"}}`

// usual is how many requests are sent between two scrapes.
const usual = 40

// healthy is the traffic without a fault: a few requests of each partner.
func (s *stage) healthy() {
	if s.feed != nil {
		s.feed(s.good, 2*usual)
		return
	}
	s.send("/exchange-a", s.good, usual)
	s.send("/exchange-b", s.good, usual)
}

// one sends a request. Its answer does not matter: the gateway counts.
func (s *stage) one(path, body string) {
	if strings.Contains(body, "%s") {
		body = fmt.Sprintf(body, fmt.Sprint("r", s.ids.Add(1)))
	}
	resp, err := s.client.Post("http://"+s.address+path, "application/json", strings.NewReader(body))
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// send sends requests to a path from several senders.
func (s *stage) send(path, body string, n int) { s.sendBy(8, path, body, n) }

// sendBy is send with so many senders.
func (s *stage) sendBy(senders int, path, body string, n int) {
	s.Helper()
	var all sync.WaitGroup
	for first := range senders {
		all.Go(func() {
			for i := first; i < n; i += senders {
				s.one(path, body)
			}
		})
	}
	all.Wait()
}

// get asks the admin port.
func (s *stage) get(path string) (status int, body []byte, err error) {
	r, err := http.NewRequest(http.MethodGet, "http://"+s.admin+path, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}

// post sends JSON to the admin port.
func (s *stage) post(path, body string) {
	s.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+s.admin+path, strings.NewReader(body))
	s.must(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := s.client.Do(r)
	s.must(err)
	text, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode >= 300 {
		s.Fatalf("%s: %s: %s", path, resp.Status, text)
	}
}

// scrape reads all metrics; nil if the process does not answer.
func (s *stage) scrape() scrape {
	s.Helper()
	if s.admin == "" {
		return nil
	}
	status, body, err := s.get("/metrics")
	if err != nil {
		return nil
	}
	if status != http.StatusOK {
		s.Fatalf("/metrics: %d %s", status, body)
	}
	all, err := newScrape(bytes.NewReader(body))
	s.must(err)
	return all
}

// page is what the page shows: the document of /live; nil if nobody answers.
func (s *stage) page() (document map[string]any) {
	s.Helper()
	if s.admin == "" {
		return nil
	}
	status, body, err := s.get("/live")
	if err != nil {
		return nil
	}
	if status != http.StatusOK {
		s.Fatalf("/live: %d %s", status, body)
	}
	s.must(json.Unmarshal(body, &document))
	return document
}

// ready is what /readyz says.
func (s *stage) ready() string {
	if s.admin == "" {
		return "no answer"
	}
	status, body, err := s.get("/readyz")
	if err != nil {
		return "no answer"
	}
	return fmt.Sprintf("`%d %s`", status, strings.TrimSpace(string(body)))
}

// log is what the process has written since the fault.
func (s *stage) log() []string {
	return strings.Split(strings.TrimSpace(s.process.Text()[s.mark:]), "\n")
}

var (
	labelForm = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
	// volatile is what differs from run to run, and what is written in its place.
	volatile = []struct {
		form *regexp.Regexp
		to   string
	}{
		{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?`), "TIME"},
		{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
		// Which of them it is depends on the moment at which the other side goes.
		{regexp.MustCompile(`dial tcp ADDRESS: connect: connection refused|(read|write) tcp ADDRESS->ADDRESS: (read|write): (connection reset by peer|broken pipe)|fasthttp: the server closed connection [^"]*closing the connection`), "NO CONNECTION"},
		{regexp.MustCompile(`: EOF"`), `: NO CONNECTION"`},
		{regexp.MustCompile(`\b\d+(\.\d+)?[\s\x{a0}\x{202f}]?%`), "N%"},
		{regexp.MustCompile(`exchange-[ab]`), "PARTNER"}, // which of them is first depends on the moment
		{regexp.MustCompile(`\b[\d.,]+k?(/s| records| a second)`), "N$1"},
		{regexp.MustCompile(`, [^,]+ ago`), ", TIME ago"},
		{regexp.MustCompile(`\b\d+\.\d+(ms|µs|s)\b`), "TIME"},
	}
)

// stable takes out of a text what differs from run to run.
func (s *stage) stable(text string) string {
	text = strings.ReplaceAll(text, s.folder+"/", "")
	text = strings.ReplaceAll(text, s.folder, "FOLDER")
	for _, v := range volatile {
		text = v.form.ReplaceAllString(text, v.to)
	}
	return text
}

// core is the auction core: a process of its own.
type core struct {
	*running.Program
	address string
}

var listening = regexp.MustCompile(`listening at http://(\S+)`)

// startCore starts a core, at the address of one before it if there is one.
func (s *stage) startCore(at string, args ...string) *core {
	s.Helper()
	if at == "" {
		at = "127.0.0.1:0"
	}
	c, ready := &core{}, make(chan string, 1)
	c.Program = running.Start(s.T, exec.Command(program, append([]string{"simulate", "core", "--listen", at, "--bid", "100%"}, args...)...), patience, func(line string) {
		if m := listening.FindStringSubmatch(line); m != nil {
			ready <- m[1]
		}
	})
	select {
	case c.address = <-ready:
	case <-c.Ended:
		s.Fatalf("the core has ended: %s", c.Text())
	case <-time.After(patience):
		s.Fatalf("the core does not listen: %s", c.Text())
	}
	return c
}

// kill ends a core at once.
func (s *stage) kill(c *core) {
	s.Helper()
	s.must(c.Process.Kill())
	<-c.Ended
}

// replaceCore starts another core in place of the one that there is.
func (s *stage) replaceCore(args ...string) {
	s.Helper()
	s.kill(s.core)
	s.core = s.startCore(s.core.address, args...)
}

// nobody is an address at which nobody listens.
func (s *stage) nobody() string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	defer ln.Close()
	return ln.Addr().String()
}
