package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFollowedFiles breaks a line of a list under a gateway on both planes and under a stream: the
// log says where, metrics and the page show it, and everything else stays as it was. Then the list
// is repaired.
func TestFollowedFiles(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer upstream.Close()
	const rule = "rules: [{name: blocked, when: site.domain in lists.blocked, severity: refuse}]\n"
	for _, kind := range []string{"fast", "std", "stream"} {
		t.Run(kind, func(t *testing.T) {
			file := withList(t)
			list := filepath.Join(filepath.Dir(file), "blocked.txt")
			var p *process
			namespace := "rtbwire_gateway_"
			if kind == "stream" {
				namespace = "rtbwire_stream_"
				brokers := newCluster(t, "bids", "bids-ok", "bids-refused")
				replace(t, file, fmt.Sprintf("version: 1\n%s%sstream: {brokers: %q, topics: bids, group: edge, accepted: bids-ok, dead_letters: bids-refused, admin: \"127.0.0.1:0\"}\n", listText, rule, brokers))
				p = startStream(t, "msg=consuming", "--config", file)
				p.admin = announced.FindStringSubmatch(p.Text())[2]
			} else {
				replace(t, file, fmt.Sprintf("version: 1\n%s%sgateway: {upstreams: [%q]}\n", listText, rule, upstream.URL))
				p = startServe(t, true, "--config", file, "--admin", "127.0.0.1:0", "--http", kind)
			}
			ask := func(path string) string {
				t.Helper()
				r, err := http.Get("http://" + p.admin + path)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Body.Close()
				text, _ := io.ReadAll(r.Body)
				return fmt.Sprint(r.StatusCode, " ", string(text))
			}
			metric := func(name string) string {
				t.Helper()
				m := regexp.MustCompile(`(?m)^` + namespace + name + `(?:\{kind="list",name="blocked"\})? (\S+)$`).FindStringSubmatch(ask("/metrics"))
				if m == nil {
					t.Fatalf("no %s", name)
				}
				return m[1]
			}
			row := func(want string) {
				t.Helper()
				if page := ask("/plain"); !strings.Contains(page, "<code>list blocked</code>") || !strings.Contains(page, want) {
					t.Errorf("no %q on the page:\n%s", want, page)
				}
				var live struct {
					Files []struct{ Name, Path, Error string }
				}
				if err := json.Unmarshal([]byte(strings.TrimPrefix(ask("/live"), "200 ")), &live); err != nil {
					t.Fatal(err)
				}
				shown := fmt.Sprint(live.Files)
				if !strings.Contains(shown, "blocked "+list) || !strings.Contains(shown, want) {
					t.Errorf("no %q among the files: %s", want, shown)
				}
			}
			state := func(failed, entries string) {
				t.Helper()
				if f, e := metric("followed_file_failed"), metric("followed_file_entries"); f != failed || e != entries {
					t.Errorf("failed %s with %s entries, want %s with %s", f, e, failed, entries)
				}
				if c := metric("config_failed"); c != "0" || ask("/readyz") != "200 ready\n" {
					t.Errorf("config_failed %s, /readyz %s", c, ask("/readyz"))
				}
			}
			state("0", "1")
			replace(t, list, "blocked.example\nnot a domain\n")
			place := list + ":2: expected a domain"
			waitFor(t, "the line of the log", func() bool {
				return strings.Contains(p.Text(), `level=ERROR msg="a file was not loaded again; its last good content stays in use" kind=list name=blocked path=`+list) && strings.Contains(p.Text(), `error="`+place)
			})
			state("1", "1")
			row(place)
			replace(t, list, "blocked.example\nother.example\n")
			waitFor(t, "the list", func() bool {
				return strings.Contains(p.Text(), `level=INFO msg="a file was loaded again" kind=list name=blocked path=`+list+" entries=2")
			})
			state("0", "2")
			row("")
			if loads := metric("followed_file_loads_total"); loads != "2" {
				t.Errorf("%s loads, want 2", loads)
			}
		})
	}
}
