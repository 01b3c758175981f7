package runbook

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// fill appends records to the file that a stream of files follows.
func (s *stage) fill(body string, n int) {
	s.Helper()
	f, err := os.OpenFile(s.path("in/bids.ndjson"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	s.must(err)
	_, err = f.WriteString(s.records(body, n))
	s.must(err)
	s.must(f.Close())
}

// records are so many records, one a line.
func (s *stage) records(body string, n int) string {
	var b strings.Builder
	for range n {
		text := body
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, fmt.Sprint("r", s.ids.Add(1)))
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// streamArgs are the arguments of a stream of files, without where accepted records go.
func (s *stage) streamArgs(f *fault) []string {
	s.Helper()
	s.must(os.MkdirAll(s.path("in"), 0o700))
	s.must(os.MkdirAll(s.path("out"), 0o700))
	s.feed = s.fill
	config := s.write("rtbwire.yaml", "version: 1\n"+f.config)
	return append([]string{
		"stream", "--config", config, "--source-dir", s.path("in"), "--positions", s.path("positions.json"),
		"--dead-letters-file", s.path("out/refused.ndjson"), "--admin", "127.0.0.1:0",
	}, f.args...)
}

// startFiles starts a stream that writes accepted records to a file.
func startFiles(s *stage, f *fault) {
	s.Helper()
	s.start(exec.Command(program, append(s.streamArgs(f), "--accepted-file", s.path("out/ok.ndjson"))...), f.ends && f.make == nil, 1)
}

// startPosts starts a stream that posts accepted records to a core.
func startPosts(s *stage, f *fault) {
	s.Helper()
	if s.core == nil {
		s.core = s.startCore("")
	}
	s.start(exec.Command(program, append(s.streamArgs(f), "--upstream", "http://"+s.core.address, "--attempts", "2")...), false, 1)
}

// startFull starts a stream whose folder for what it writes is a small disk of its own.
func startFull(s *stage, f *fault) {
	s.Helper()
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		s.Skipf("unshare --mount: %v %s", err, out)
	}
	args := append([]string{"--mount", "sh", "-c", `mount -t tmpfs -o size=256k disk "$0" && exec "$@"`, s.path("out"), program}, s.streamArgs(f)...)
	s.start(exec.Command("unshare", append(args, "--accepted-file", s.path("out/ok.ndjson"))...), false, 1)
}

// picky is a core that refuses some requests each time.
func picky(s *stage) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	server := &http.Server{ErrorLog: silent, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "poison") {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})}
	go func() { _ = server.Serve(ln) }()
	s.Cleanup(func() { server.Close() })
	s.core = &core{address: ln.Addr().String()}
}

var streamFaults = []fault{
	{
		title: "A stream's list has a bad line", start: startFiles, config: withList, prepare: writeList,
		make: func(s *stage) { s.write("blocked.txt", "blocked.example\nnot a domain\n") },
		log:  []string{notLoaded}, metrics: []string{`followed_file_failed{kind="list"} = 1`}, page: []string{"file"},
		then: "As for a gateway: the list before stays in use; correct the line.",
	},
	{
		title: "A stream's configuration is broken at a reload", start: startFiles,
		make: func(s *stage) { s.write("rtbwire.yaml", "version: 1\nrulez: []\n") },
		log:  []string{"the configuration was not loaded again"}, metrics: []string{"config_failed = 1", `reloads_total{result="failed"}`}, page: []string{"configuration"},
		then: "The configuration before stays in use until the next start, which fails. `rtbwire stream --config FILE --check` prints the mistakes.",
	},
	{
		title: "A rule of a stream can't decide", config: "rules: [{name: short, when: \"1000 / tmax > 10\", severity: refuse}]\n",
		start: func(s *stage, f *fault) { s.good = strings.Replace(good, "{", `{"tmax":500,`, 1); startFiles(s, f) },
		make:  func(s *stage) { s.good = good },
		log:   []string{"needs attention"}, metrics: []string{`rule_errors_total{rule="policy.short"}`}, page: []string{"rule"},
		then: "As for a gateway: `rtbwire policy explain FILE < record.json` shows the place. Records are accepted meanwhile, unless `on_error` says otherwise.",
	},
	{
		title: "Records are malformed", start: startFiles, make: func(*stage) {},
		more: func(s *stage) { s.fill(`{"id":"1","imp":[{]}`, 8*usual) },
		log:  []string{"needs attention"}, metrics: []string{`records_total{result="refused"}`, "dead_letters_total"}, page: []string{"dead-letters"},
		then: "A sender has deployed something broken. The dead letters have the records and the reason; judge them again when it is repaired ([stream.md](stream.md#dead-letters-again)).",
	},
	{
		title: "A stream's upstream is down", start: startPosts, make: func(s *stage) { s.kill(s.core) },
		log: []string{"the upstream is down"}, metrics: []string{"paused = 1", `upstream_attempts_total{result="unreachable"}`, "files_lag_bytes"}, page: []string{"end"},
		then: "Nothing is lost and nothing becomes a dead letter: records wait, and lag grows. Start the upstream; the stream goes on by itself.",
	},
	{
		title: "A stream's upstream answers with status 500", start: startPosts, make: func(s *stage) { s.replaceCore("--bid", "0%", "--error", "100%") },
		log: []string{"the upstream is down"}, metrics: []string{"paused = 1", `upstream_attempts_total{result="failed"}`}, page: []string{"end"},
		then: "As for one that is down: records wait. The fault is the upstream's.",
	},
	{
		title: "A stream's upstream refuses some records each time", start: startPosts, prepare: picky, make: func(*stage) {},
		more: func(s *stage) {
			s.fill(good, usual)
			s.fill(strings.ReplaceAll(good, "a.example", "poison.example"), 2)
		},
		log: []string{"a record can't be delivered"}, metrics: []string{`records_total{result="undeliverable"}`, `upstream_attempts_total{result="refused"}`}, page: []string{"undeliverable"},
		then: "They are dead letters with the reason `stream.undeliverable`; all others go on. Upstream and verdict differ about what is right: write a rule that refuses such records, or repair the upstream.",
	},
	{
		title: "The disk of a stream is full", long: true, start: startFull, make: func(*stage) {},
		more: func(s *stage) { s.fill(good, 2000) },
		log:  []string{"no space left on device"}, metrics: []string{"file_write_errors_total", "files_lag_bytes"}, page: []string{"end"},
		then: "Records wait and come again when there is space; nothing is lost. Free space, or move the files that were rotated away (`ok.ndjson.000001` and so on): nothing else removes them.",
	},
	{
		title: "A file of the folder is compressed", start: startFiles,
		make: func(s *stage) {
			f, err := os.Create(s.path("in/old.ndjson.gz"))
			s.must(err)
			w := gzip.NewWriter(f)
			_, err = io.WriteString(w, s.records(good, usual))
			s.must(err)
			s.must(w.Close())
			s.must(f.Close())
		},
		log: []string{"a file is compressed and left out"}, metrics: []string{"files_refused"}, page: []string{"compressed"},
		quiet: "the file stays where it is, and may be there on purpose",
		then:  "If its records were not read before it was compressed, judge it with `rtbwire filter`. Keep rotated files from matching `--source-pattern` otherwise.",
	},
	{
		title: "A stream's log of verdicts can't be written", start: startFiles, config: "gateway: {verdict_log: {to: files, folder: verdicts, share: 100%, max_age: 1s}}\n",
		make: func(s *stage) { s.block("verdicts") },
		log:  []string{"verdicts: not a directory"}, metrics: []string{`verdict_log_skipped_total{cause="write"}`}, page: []string{"verdicts"},
		then: "As for a gateway: records are judged and delivered all the same. Free space, or correct the owner of the folder.",
	},
	{
		title: "A stream's collector of OpenTelemetry is down",
		start: func(s *stage, f *fault) {
			s.collector = startCollector(s)
			f.config = "gateway: {" + collected(s) + "}\n"
			startFiles(s, f)
		},
		make: func(s *stage) { s.collector.CloseClientConnections(); s.collector.Close() },
		log:  []string{"the collector did not take spans", "the collector did not take metrics"}, metrics: []string{`telemetry_spans_dropped_total{cause="export"}`, `telemetry_metrics_exports_total{result="failed"}`}, page: []string{"spans", "exports"},
		then: "As for a gateway: records don't wait for it. Start the collector, or correct `telemetry.endpoint` and start the stream again.",
	},
	{
		title: "The folder of a stream is gone", start: startFiles, make: func(s *stage) { s.block("in") },
		more: func(*stage) {}, // there is nowhere to write records
		log:  []string{"the folder can't be read"}, metrics: []string{"ready = 0"}, page: []string{"reads"},
		then: "Nothing is lost of what is written there later. Is the disk mounted, and may the stream read it? It goes on by itself, where it was.",
	},
	{
		title: "A stream's positions are damaged", ends: true,
		start: func(s *stage, f *fault) { s.write("positions.json", `{"files":[`); startFiles(s, f) },
		log:   []string{"positions.json"},
		then:  "The stream ends rather than begin again silently. Put the file back from a backup, or remove it to read the folder from the beginning: records then come twice.",
	},
}
