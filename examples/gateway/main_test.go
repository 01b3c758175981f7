package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestGateway posts requests to the service: one with a bid, one whose country has no market, and
// one that the tier refuses by itself.
func TestGateway(t *testing.T) {
	g, err := newGateway()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(listener) }()
	const request = `{"id":"r\"1","imp":[{"id":"i","banner":{"w":300,"h":250}}],"site":{"id":"s","page":"https://a.example/"},"device":{"ua":"x","ip":"8.8.8.8","geo":{"country":"USA"}}}`
	for _, tt := range []struct {
		body, answer string
		status       int
	}{
		{request, `{"id":"r\"1","seatbid":[{"bid":[{"id":"1","impid":"i","price":1}]}]}`, http.StatusOK},
		{strings.Replace(request, "USA", "FRA", 1), "", http.StatusNoContent},
		{strings.Replace(request, `"imp":[{`, `"imp":[],"x":[{`, 1), "", http.StatusNoContent},
		{request[1:], "", http.StatusBadRequest},
	} {
		resp, err := http.Post("http://"+listener.Addr().String()+"/openrtb2/auction", "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.status || string(answer) != tt.answer {
			t.Errorf("%s: %d %s, want %d %s", tt.body, resp.StatusCode, answer, tt.status, tt.answer)
		}
	}
	if err := g.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
