// Command bidder is a complete bidder for one campaign, to start from: it reads bid requests from
// HTTP, decodes and checks them, and answers with a bid or a no-bid.
//
//	go run ./examples/bidder -addr 127.0.0.1:8080
//	curl -i -d @testdata/bench/banner.json http://127.0.0.1:8080/
//
// bidder.go is what a request meets; this file is the server around it.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// campaign is what this bidder has to offer. A real one has thousands, from a database.
var campaign = Campaign{
	ID: "spring", Creative: "spring-1", Domain: "advertiser.example",
	Price: 1.25, Currency: "USD",
	Sizes:  []Size{{300, 250}, {320, 50}},
	MIME:   "text/html",
	Markup: `<a href="https://advertiser.example/"><img src="https://cdn.advertiser.example/1.png"></a>`,
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the address to listen on")
	flag.Parse()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	// Orchestrators stop a program with SIGTERM, people with an interrupt.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log.Print("listening on ", listener.Addr())
	if err := serve(ctx, listener); err != nil {
		log.Fatal(err)
	}
}

// serve answers requests until ctx ends, and then those that have arrived.
func serve(ctx context.Context, listener net.Listener) error {
	bidder, err := NewBidder(campaign)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: bidder,
		// Every wait has an end: a sender that stops halfway holds a connection and a buffer. An
		// exchange gives up after tmax, which is a few hundred milliseconds.
		ReadHeaderTimeout: time.Second,
		ReadTimeout:       time.Second,
		WriteTimeout:      time.Second,
		// Exchanges keep connections open: a handshake for each request would cost more than the
		// bid.
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 8 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// ctx has ended, so the last requests get a time limit of their own.
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return err
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
