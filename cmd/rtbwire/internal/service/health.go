package service

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// healthMax is how long --health waits.
const healthMax = 3 * time.Second

// Health asks a running gateway whether it takes requests: containers without a shell have nothing
// else that could. The address is one of --listen, whose /status is asked, or a URL.
func Health(ctx context.Context, env *cli.Env, address string) error {
	url, dialer := address, net.Dialer{}
	transport := &http.Transport{Proxy: nil, DisableKeepAlives: true}
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		kind, at, err := Network(address)
		if err != nil {
			return err
		}
		url = "http://" + at + "/status"
		if kind == "unix" {
			url = "http://localhost/status"
			transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, kind, at)
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, healthMax)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := transport.RoundTrip(req) // which follows no redirect
	if err != nil {
		fmt.Fprintf(env.Stderr, "unhealthy: %v\n", err)
		return cli.ErrRefused
	}
	_ = resp.Body.Close() // its status is all that counts
	if resp.StatusCode != http.StatusOK {
		fmt.Fprintf(env.Stderr, "unhealthy: %s\n", resp.Status)
		return cli.ErrRefused
	}
	_, err = fmt.Fprintln(env.Stdout, "healthy")
	return err
}

// Network takes an address to listen at apart.
func Network(address string) (network, at string, err error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		if path == "" {
			return "", "", fmt.Errorf("the address %q has no path of a socket", address)
		}
		return "unix", path, nil
	}
	return "tcp", address, nil
}
