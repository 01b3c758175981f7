package runbook

import (
	"fmt"
	"maps"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// fault is something that an operator can have. What is written here is how it is made, where it
// must show, and what to do; what shows is observed.
type fault struct {
	title string
	// config is the configuration, after the version and the upstream; args are further arguments.
	config string
	args   []string
	// prepare makes the files that the configuration names.
	prepare func(s *stage)
	// make makes the fault, and sends what shows it. Nil: it is there from the start, and prepare
	// has made it.
	make func(s *stage)
	// more is traffic that goes on while the fault does; nil for that of a healthy gateway.
	more func(s *stage)
	// ends says that the process ends, or does not start.
	ends bool
	// long says that the test takes long, or needs what not every machine has.
	long bool

	// log are texts of lines, metrics are names without the namespace, with labels or without, and
	// " = " and a value where that matters. page are kinds of notices, or a row as "TABLE
	// LABEL=VALUE MEMBER".
	log, metrics, page []string
	// quiet says why no alert is right.
	quiet string
	// then says what to do.
	then string

	// start starts another service than a gateway.
	start func(s *stage, f *fault)
}

// chapter is a part of the page.
type chapter struct {
	title, service string
	faults         []fault
}

// chapters are all faults, in the order of the page.
func chapters() []chapter {
	return []chapter{
		{"Files that are followed", gateways, fileFaults},
		{"Upstreams", gateways, upstreamFaults},
		{"Requests and limits", gateways, requestFaults},
		{"Configuration, operators, the machine", gateways, operatorFaults},
		{"Streams", streams, streamFaults},
		{"Streams of Kafka", streams, kafkaFaults},
	}
}

// The jobs of the services in deploy/prometheus.
const gateways, streams = "rtbwire", "rtbwire-stream"

// namespaces begin the names of metrics.
var namespaces = map[string]string{gateways: "rtbwire_gateway_", streams: "rtbwire_stream_"}

// TestFaults makes each fault. It must not be silent, and it must show as the page says.
func TestFaults(t *testing.T) {
	if program == "" {
		t.Skip("set RTBWIRE_E2E=1, or use make ci STEPS=runbook")
	}
	known := readObserved(t)
	for _, c := range chapters() {
		for i := range c.faults {
			f := &c.faults[i]
			t.Run(f.title, func(t *testing.T) {
				if f.long && !testkit.Long(t) && !*update {
					t.Skip("make verify STEPS=runbook-all")
				}
				s := newStage(t, c.service)
				got := s.observe(f)
				if t.Failed() {
					return
				}
				if *update {
					known[f.title] = got
				} else if want := known[f.title]; !reflect.DeepEqual(got, want) {
					t.Errorf("observed\n%s\ntestdata/observed.json has\n%s\nIf that is right: go -C internal/e2e/runbook test -run TestFaults -update, with the variables", got, want)
				}
			})
		}
	}
	if *update && !t.Failed() {
		writeObserved(t, known)
		writePage(t, known)
	}
}

// moreEvery is how often traffic comes again while something does not show yet.
const moreEvery = 2 * time.Second

// observe makes a fault and looks.
func (s *stage) observe(f *fault) observation {
	s.Helper()
	if f.start == nil {
		f.start = startGateway
	}
	if f.prepare != nil {
		f.prepare(s)
	}
	more := f.more
	if more == nil {
		more = (*stage).healthy
	}
	f.start(s, f)
	see := seen{service: s.service}
	if f.make != nil {
		s.healthy()
		see.start = s.settled(2 * usual)
		s.healthy()
		see.health = s.settled(4 * usual)
		see.begin = see.health
		s.mark = len(s.process.Text())
		f.make(s)
	} else if !f.ends {
		see.begin = s.scrape()
	}
	if !f.ends || f.make == nil {
		more(s)
	}
	var got observation
	var missing []string
	again := time.Now().Add(moreEvery)
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(again) && !f.ends { // some of what the page has is about the last second
			more(s)
			again = time.Now().Add(moreEvery)
		}
		see.end = s.scrape()
		if got, missing = s.look(f, &see); len(missing) == 0 {
			break
		}
		if s.hasEnded() && !f.ends {
			s.Fatal("the process has ended")
		}
		if time.Now().After(end) {
			s.Fatalf("it is silent: %s\nthe page: %v", strings.Join(missing, "; "), s.page()["notices"])
		}
	}
	got.Alerts = see.alerts(s.T)
	if (len(got.Alerts) == 0) != (f.quiet != "") {
		s.Errorf("alerts %q, and a reason why there are none: %q", got.Alerts, f.quiet)
	}
	if f.then == "" {
		s.Error("nobody says what to do then")
	}
	return got
}

// settled scrapes when a stream has delivered so many records. A gateway has when it has answered.
func (s *stage) settled(records float64) (got scrape) {
	s.Helper()
	s.until(fmt.Sprint(records, " records"), func() bool {
		got = s.scrape()
		return s.feed == nil || got[`rtbwire_stream_records_total{result="accepted"}`].v >= records
	})
	return got
}

// look looks for what must show. It returns what is missing.
func (s *stage) look(f *fault, see *seen) (got observation, missing []string) {
	need := func(what string, found []string) []string {
		if len(found) == 0 {
			missing = append(missing, what)
		}
		return found
	}
	for _, text := range f.log {
		got.Log = append(got.Log, need("no line of the log: "+text, s.lines(text))...)
	}
	if len(f.log) == 0 {
		missing = append(missing, "no line of the log is wanted")
	}
	got.Ready = s.ready()
	if f.ends {
		if see.end != nil {
			missing = append(missing, "it answers")
		}
		got.Metrics, got.Page = []string{"`up` 0"}, []string{"the page does not answer"}
		return got, missing
	}
	for _, name := range f.metrics {
		got.Metrics = append(got.Metrics, need("no change of the metric "+name, once(s.moved(name, see)))...)
	}
	page := s.page()
	for _, what := range f.page {
		got.Page = append(got.Page, need("not on the page: "+what, once(s.shown(page, what)))...)
	}
	if len(f.metrics) == 0 || len(f.page) == 0 {
		missing = append(missing, "no metric is wanted, or nothing on the page")
	}
	return got, missing
}

// once takes out texts that are the same but for what differs from run to run.
func once(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// lines are the first line of the log with a text, without what differs from run to run.
func (s *stage) lines(text string) []string {
	for _, line := range s.log() {
		if !strings.Contains(line, text) {
			continue
		}
		if _, rest, found := strings.Cut(line, " level="); found {
			line = rest
		}
		line = byline.ReplaceAllString(line, "") // of an error that ends the program
		line = unstable.ReplaceAllString(s.stable(line), "")
		if len(line) > lineMax {
			line = line[:lineMax] + "…"
		}
		return []string{line}
	}
	return nil
}

// moved are the series that the fault has changed.
func (s *stage) moved(what string, see *seen) (list []string) {
	what, wanted, exact := strings.Cut(what, " = ")
	name := series(namespaces[s.service] + what)
	if see.end == nil {
		return nil
	}
	for _, at := range slices.Sorted(maps.Keys(see.end)) {
		is := see.end[at]
		if at.name() != name.name() && at.name() != what {
			continue
		}
		have := at.labels()
		if slices.ContainsFunc(slices.Collect(maps.Keys(name.labels())), func(label string) bool { return have[label] != name.labels()[label] }) {
			continue
		}
		if exact && strconv.FormatFloat(is.v, 'f', -1, 64) != wanted {
			continue
		}
		was, known := see.health[at]
		text := "`" + s.stable(string(at)) + "` "
		switch {
		case is.counter && is.v > see.begin[at].v:
			text += "grows"
		case is.counter:
			continue
		case exact && known && was.v != is.v && was.v < 1e6:
			text += fmt.Sprintf("%v → %v", was.v, is.v)
		case exact:
			text += fmt.Sprintf("is %v", is.v)
		case known && was.v == is.v:
			continue
		default:
			text += "changes"
		}
		list = append(list, text)
	}
	return list
}

// shown is what the page shows of something: a notice, or a row.
func (s *stage) shown(page map[string]any, what string) (list []string) {
	table, rest, row := strings.Cut(what, " ")
	if row {
		return s.row(page, table, rest)
	}
	notices, _ := page["notices"].([]any)
	for _, n := range notices {
		notice, _ := n.(map[string]any)
		text, _ := notice["text"].(string)
		kind, _ := notice["kind"].(string)
		if kind == what {
			detail, _ := notice["detail"].(string)
			list = append(list, s.stable(strings.TrimSpace(text+" "+detail)))
		}
	}
	return list
}

// row is what a table has: "LABEL=VALUE MEMBER" or "LABEL=VALUE MEMBER=WANTED".
func (s *stage) row(page map[string]any, table, what string) []string {
	where, member, _ := strings.Cut(what, " ")
	label, name, _ := strings.Cut(where, "=")
	member, wanted, exact := strings.Cut(member, "=")
	rows, _ := page[table].([]any)
	for _, r := range rows {
		row, _ := r.(map[string]any)
		if row[label] != name {
			continue
		}
		v := any(row)
		for part := range strings.SplitSeq(member, ".") {
			inner, _ := v.(map[string]any)
			v = inner[part]
		}
		switch v := v.(type) {
		case nil:
		case float64:
			if v > 0 {
				return []string{strings.TrimSuffix(fmt.Sprintf("table `%s`, row `%s`: %s", table, name, strings.TrimPrefix(member, "totals.")), ": total")}
			}
		case bool:
			if !exact && v || exact && fmt.Sprint(v) == wanted {
				return []string{fmt.Sprintf("table `%s`, row `%s`: %s %v", table, name, member, v)}
			}
		case string:
			if v != "" {
				return []string{fmt.Sprintf("table `%s`, row `%s`: %s %s", table, name, member, s.stable(v))}
			}
		}
	}
	return nil
}

// startGateway starts a gateway with an upstream, unless the configuration has its own.
func startGateway(s *stage, f *fault) {
	s.Helper()
	s.start(exec.Command(program, append([]string{"serve", "--config", s.configure(f.config), "--listen", "http://127.0.0.1:0", "--admin", "127.0.0.1:0"}, f.args...)...), f.ends && f.make == nil, 2)
}

// partners are two exchanges.
const partners = `partners:
  exchange-a: {match: {path: /exchange-a}}
  exchange-b: {match: {path: /exchange-b}}
`

// configure writes a configuration. It starts a core, if there is none, whose address the word CORE
// in the configuration stands for.
func (s *stage) configure(text string) (path string) {
	s.Helper()
	if s.core == nil {
		s.core = s.startCore("")
	}
	if !strings.Contains(text, "gateway:") {
		text = "gateway: {upstreams: [{name: core, url: \"http://CORE\"}]}\n" + text
	}
	if !strings.Contains(text, "partners:") {
		text += partners
	}
	text = strings.ReplaceAll(text, "CORE", s.core.address)
	if s.other != nil {
		text = strings.ReplaceAll(text, "OTHER", s.other.address)
	}
	return s.write("rtbwire.yaml", "version: 1\n"+text)
}
