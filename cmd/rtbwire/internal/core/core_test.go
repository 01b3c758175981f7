package core

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// TestServe starts the verb, asks it, and stops it.
func TestServe(t *testing.T) {
	for _, format := range []struct {
		flag, want string
	}{
		{"--json=false", "requests: 1 (59 bytes); bids: 1, no bids: 0, errors: 0, garbage: 0, malformed requests: 0\n  id \"r1\"\n"},
		{"--json", `{"requests":1,"bytes_in":59,`},
	} {
		stderr, announce := io.Pipe()
		var stdout bytes.Buffer
		set := pflag.NewFlagSet("core", pflag.ContinueOnError)
		run := Command.Setup(set)
		if err := set.Parse([]string{"--listen", "127.0.0.1:0", "--bid", "100%", "--ids", "5", format.flag}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- run(ctx, &cli.Env{Stdout: &stdout, Stderr: announce}, nil) }()
		var url string
		if _, err := fmt.Fscanf(stderr, "rtbwire simulate core: listening at %s\n", &url); err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post(url, "application/json", strings.NewReader(`{"id":"r1","imp":[{"id":"1","banner":{"w":300,"h":250}}]}`+"  "))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // only the status counts
		http.DefaultClient.CloseIdleConnections()
		cancel()
		select {
		case err := <-done:
			if err != nil || resp.StatusCode != http.StatusOK || !strings.HasPrefix(stdout.String(), format.want) {
				t.Errorf("%v, status %d, %s", err, resp.StatusCode, stdout.String())
			}
		case <-time.After(30 * time.Second):
			t.Fatal("it does not stop")
		}
	}
}

// TestUsage refuses what makes no sense.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"--latency", "x"}, {"--bid", "70%", "--error", "40%"}, {"--max-body", "0"}, {"--max-body", "1G"}, {"--ids", "-1"}, {"x"},
	} {
		var out, errs bytes.Buffer
		env := &cli.Env{Stdout: &out, Stderr: &errs}
		if status := cli.Main(env, []cli.Command{Command}, append([]string{"core"}, args...)); status != cli.StatusFailed || !strings.Contains(errs.String(), "--help") {
			t.Errorf("%v: status %d, %s", args, status, &errs)
		}
	}
	var errs bytes.Buffer
	if status := cli.Main(&cli.Env{Stdout: io.Discard, Stderr: &errs}, []cli.Command{Command}, []string{"core", "--listen", "nowhere"}); status != cli.StatusFailed {
		t.Errorf("status %d, %s", status, &errs)
	}
}
