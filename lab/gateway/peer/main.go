// Command peer is what the gateway is compared with: an upstream that costs next to nothing, and
// programs that teams put in its place.
//
//	peer sink        the upstream: answers each request with 300 bytes (sink_linux.go)
//	peer fasthttp    a bare proxy: takes, sends on, answers; reads nothing (proxy.go)
//	peer reverse     the same with httputil.ReverseProxy
//	peer json        decodes with encoding/json, checks a few things, forwards (handler.go)
//	peer gojson      the same with goccy/go-json
//	peer json-checked, gojson-checked
//	                 the same with the gateway's inspectors (checked.go)
//
// The lab starts it; see package gateway above.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	_ "net/http/pprof" // on the port of --stats
	"os"
	"runtime"
	"time"
)

// options are the flags.
type options struct {
	listen, upstream string
	config           string
	loops            int
	delay, service   time.Duration
}

// roles are the programs.
var roles = map[string]func(*options) error{
	"sink": sink, "fasthttp": bareProxy, "reverse": reverseProxy,
	"json": plainHandler(standardJSON), "gojson": plainHandler(goJSON),
	"json-checked": checkedHandler(standardJSON), "gojson-checked": checkedHandler(goJSON),
}

func main() {
	runtime.MemProfileRate = 0 // net/http/pprof is linked: avoid the cost of its samples
	var o options
	stats := flag.String("stats", "", "serve /debug/pprof/ at this `address`")
	flag.StringVar(&o.listen, "listen", "127.0.0.1:8080", "where requests are taken")
	flag.StringVar(&o.upstream, "upstream", "127.0.0.1:9000", "where they go")
	flag.StringVar(&o.config, "config", "", "checked handlers: the gateway's configuration")
	flag.IntVar(&o.loops, "loops", 1, "sink: `number` of threads")
	flag.DurationVar(&o.delay, "delay", 0, "sink: how long an answer takes")
	flag.DurationVar(&o.service, "service", 0, "sink: how long each request occupies it, one after the other; with that it has a capacity")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: peer [flags] sink|fasthttp|reverse|json|gojson|json-checked|gojson-checked")
		flag.PrintDefaults()
	}
	flag.Parse()
	role := roles[flag.Arg(0)]
	if role == nil || flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ended := make(chan error, 2)
	if *stats != "" {
		go func() { ended <- http.ListenAndServe(*stats, nil) }()
	}
	go func() { ended <- role(&o) }()
	fmt.Fprintln(os.Stderr, "peer:", errors.Join(<-ended))
	os.Exit(3)
}
