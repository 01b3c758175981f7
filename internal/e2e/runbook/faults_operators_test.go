package runbook

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// silent is a log of servers of the test.
var silent = log.New(io.Discard, "", 0)

const withOperators = "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], operators: {token_files: [tokens], state_file: state/operators.ndjson}}\n"

// writeState makes the token, and the folder of the file of state.
func writeState(s *stage) {
	writeToken(s)
	s.must(os.Mkdir(s.path("state"), 0o700))
}

// block makes a folder unusable: a file has its name.
func (s *stage) block(folder string) {
	s.must(os.RemoveAll(s.path(folder)))
	s.write(folder, "in the way\n")
}

// startCollector starts a collector of OpenTelemetry that takes everything.
func startCollector(s *stage) *httptest.Server {
	s.Helper()
	c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	s.Cleanup(c.Close)
	return c
}

// collected has spans of all requests or records, and metrics, sent to the collector.
func collected(s *stage) string {
	return fmt.Sprintf("telemetry: {endpoint: %q, spans: 100%%, metrics: 1s}", s.collector.URL)
}

var operatorFaults = []fault{
	{
		title: "The configuration is broken at a reload",
		make: func(s *stage) {
			text, err := os.ReadFile(s.path("rtbwire.yaml"))
			s.must(err)
			s.write("rtbwire.yaml", string(text)+"rulez: []\n")
		},
		log: []string{"the configuration was not loaded again"}, metrics: []string{"config_failed = 1", `reloads_total{result="failed"}`}, page: []string{"configuration"},
		then: "The configuration before stays in use until the next start, which fails. `rtbwire serve --config FILE --check` prints the mistakes with their places: run it before each change.",
	},
	{
		title: "The configuration is broken at the start", ends: true, config: "rulez: []\n",
		log:  []string{"rulez"},
		then: "The process ends with status 2 and says where the mistake is. Correct it, or put the file before back.",
	},
	{
		title: "The port is taken", ends: true,
		start: func(s *stage, f *fault) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			s.must(err)
			s.Cleanup(func() { ln.Close() })
			f.args = []string{"--listen", ln.Addr().String()}
			startGateway(s, f)
		},
		log:  []string{"address already in use"},
		then: "Another process has the port: the gateway before it that has not ended, say. `ss -ltnp` names it.",
	},
	{
		title: "A candidate configuration is broken",
		args:  []string{"--candidate", "next.yaml"},
		start: func(s *stage, f *fault) {
			f.args = []string{"--candidate", s.write("next.yaml", "version: 1\n"+partners)}
			startGateway(s, f)
		},
		make: func(s *stage) { s.write("next.yaml", "version: 1\nrulez: []\n"+partners) },
		log:  []string{"the candidate was not loaded again"}, metrics: []string{"candidate_config_failed = 1"}, page: []string{"candidate"},
		then: "Requests are not concerned: the candidate before is compared. Correct the file that the log names.",
	},
	{
		title: "Captures can't be written", config: "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], capture: {folder: capture, refused: 100%, share: 0%}}\n",
		make: func(s *stage) { s.block("capture") },
		more: func(s *stage) { s.healthy(); s.send("/exchange-a", `{"id":"%s","imp":[]}`, usual/10) },
		log:  []string{"captures can't be written"}, metrics: []string{`capture_skipped_total{cause="disk"}`}, page: []string{"captures"},
		then: "Requests are judged and forwarded all the same; the sample has a gap. The disk is full (`df`), or the folder is not the gateway's: free space, lower `capture.max_disk`, or correct the owner.",
	},
	{
		title: "The log of verdicts can't be written", config: "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], verdict_log: {to: files, folder: verdicts, share: 100%, max_age: 1s}}\n",
		make: func(s *stage) { s.block("verdicts") },
		log:  []string{"verdicts: not a directory"}, metrics: []string{`verdict_log_skipped_total{cause="write"}`}, page: []string{"verdicts"},
		then: "Requests are judged and forwarded all the same; the log has a gap. The disk is full (`df`), or the folder is not the gateway's: free space, lower `verdict_log.max_disk`, or correct the owner. It is tried again every 5 s.",
	},
	{
		title: "The collector of OpenTelemetry is down",
		start: func(s *stage, f *fault) {
			s.collector = startCollector(s)
			f.config = "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], " + collected(s) + "}\n"
			startGateway(s, f)
		},
		make: func(s *stage) { s.collector.CloseClientConnections(); s.collector.Close() },
		log:  []string{"the collector did not take spans", "the collector did not take metrics"}, metrics: []string{`telemetry_spans_dropped_total{cause="export"}`, `telemetry_metrics_exports_total{result="failed"}`}, page: []string{"spans", "exports"},
		then: "Requests don't wait for it; traces have a gap, and metrics where only the collector has them. Start the collector, or correct `telemetry.endpoint`, which takes a restart. Spans and metrics go on by themselves.",
	},
	{
		title: "Operators' changes can't be saved", config: withOperators,
		prepare: writeState,
		make: func(s *stage) {
			s.block("state")
			s.post("/api/v1/block", `{"kind":"domain","name":"bad.example","for":"1h"}`)
		},
		log: []string{"operators' changes were not written"}, metrics: []string{"overrides_unsaved = 1"}, page: []string{"overrides"},
		then: "Changes are in effect, but a restart would forget them. Make `gateway.operators.state_file` writable; the next change writes all of them.",
	},
	{
		title: "Somebody tries tokens at the admin port", config: withOperators, prepare: writeState,
		make: func(s *stage) {
			for range usual {
				r, err := http.NewRequest(http.MethodGet, "http://"+s.admin+"/config", http.NoBody)
				s.must(err)
				r.Header.Set("Authorization", "Bearer "+strings.Repeat("guess", 6))
				resp, err := s.client.Do(r)
				s.must(err)
				_ = resp.Body.Close()
				if resp.StatusCode != http.StatusUnauthorized {
					s.Fatalf("a wrong token: %s", resp.Status)
				}
			}
		},
		log: []string{"a request to the admin port was refused"}, metrics: []string{`admin_refused_total{cause="token"}`}, page: []string{"operators"},
		then: "Tokens of 16 characters and more are not guessed; a tool with an old token is the likelier cause. The log has the addresses (`from=`). Who can reach the port at all? It belongs into a network of its own.",
	},
	{
		title: "The clock of the machine is set", long: true, start: startShifted,
		make: func(s *stage) { s.write("clock", "9000") },
		log:  []string{"the clock was set"}, metrics: []string{"clock_jumps_total"}, page: []string{"clock"},
		then: "Ages of files, the ends of certificates and of operators' changes follow the clock; limits, timeouts and windows do not. Look at the time service (`timedatectl`), then at the banners about files.",
	},
}

// overwrite writes to a file that must stay the same one, because it is mounted.
func overwrite(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	later := time.Now().Add(time.Second) // Go's resolver looks at the time of /etc/hosts
	if err == nil {
		err = os.Chtimes(filepath.Clean(path), later, later)
	}
	return err
}
