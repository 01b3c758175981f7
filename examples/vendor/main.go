// Command vendor asks a scoring service about bid requests, one per line, before it judges them.
//
//	go run ./examples/vendor < testdata/corpus/requests.ndjson
//	go run ./examples/vendor -serve 127.0.0.1:9090
//	go run ./examples/vendor -url http://127.0.0.1:9090 < testdata/corpus/requests.ndjson
//
// The service can be asked by the gateway, too: docs/lookups.md has the configuration.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/vendor"
)

// rules refuse what the service is sure of. Without an answer the score is 0: see Fail below.
const rules = `version: 1
rules:
  - {name: fraud, when: 'facts.vendor["ivt"].score >= 80', severity: refuse, nbr: 4}
`

func main() {
	serve := flag.String("serve", "", "run the scoring service alone, at this address")
	url := flag.String("url", "", "ask the service at this URL instead of one of our own")
	deadline := flag.Duration("deadline", 5*time.Millisecond, "how long an answer may take")
	flag.Parse()
	if *serve != "" || *url == "" {
		listener, err := net.Listen("tcp", cmp.Or(*serve, "127.0.0.1:0"))
		if err != nil {
			log.Fatal(err)
		}
		*url = "http://" + listener.Addr().String()
		server := http.Server{Handler: service(), ReadTimeout: time.Second}
		if *serve != "" {
			log.Printf("listening at %s", *url)
			log.Fatal(server.Serve(listener))
		}
		go func() { log.Fatal(server.Serve(listener)) }()
	}
	if err := run(*url, *deadline, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// service scores at /, and at other paths shows what becomes of requests when a service is broken.
func service() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", score)
	mux.HandleFunc("/fail", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", http.StatusInternalServerError) })
	mux.HandleFunc("/nonsense", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"score": "a lot"}`) })
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done(): // whoever asked is gone
		case <-time.After(10 * time.Second):
		}
	})
	mux.HandleFunc("/secret", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer example" {
			http.Error(w, "who is it?", http.StatusUnauthorized)
			return
		}
		score(w, r)
	})
	return mux
}

// score is the service: crawlers that say so get 100, all others 0.
func score(w http.ResponseWriter, r *http.Request) {
	var question struct{ IP, UA string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<10)).Decode(&question); err != nil {
		http.Error(w, "expected JSON", http.StatusBadRequest)
		return
	}
	n := 0
	if ua := strings.ToLower(question.UA); strings.Contains(ua, "bot") || strings.Contains(ua, "curl/") {
		n = vendor.ScoreMax
	}
	fmt.Fprintf(w, `{"score": %d}`, n)
}

// run judges the requests in the lines of in.
func run(url string, deadline time.Duration, in io.Reader, out io.Writer) error {
	c, problems := config.Parse("rules", rules, config.Options{})
	if err := problems.Err(); err != nil {
		return err
	}
	setup, problems := c.Open(config.OpenOptions{})
	if err := problems.Err(); err != nil {
		return err
	}
	ivt, err := vendor.NewHTTP(vendor.HTTPOptions{Name: "ivt", URL: url, Fields: []vendor.Field{vendor.IP, vendor.UA}})
	if err != nil {
		return err
	}
	defer ivt.Close()
	group, err := vendor.NewGroup(vendor.Member{Vendor: ivt, Deadline: deadline, Fail: vendor.Open})
	if err != nil {
		return err
	}
	worker, lines := setup.Engine.NewWorker(), bufio.NewScanner(in)
	for lines.Scan() {
		var facts inspect.Facts
		if worker.Decode(lines.Bytes()) == nil {
			facts.Vendor = group.Ask(context.Background(), nil, worker.Request(), &facts)
		}
		verdict := worker.Judge(facts)
		fmt.Fprintln(out, verdict.Action, verdict.Reason, facts.Vendor)
	}
	return lines.Err()
}
