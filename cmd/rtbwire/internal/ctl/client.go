package ctl

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
)

const (
	// addressDefault is where the gateway is looked for.
	addressDefault = "127.0.0.1:8081"
	// addressVariable is the key gateway.admin in the environment.
	addressVariable = "RTBWIRE_GATEWAY_ADMIN"
	timeoutDefault  = 30 * time.Second
	// pause is how long a client waits that the gateway has asked to wait.
	pause = time.Second
	// answerMax is how long an answer may be, in bytes.
	answerMax = 8 << 20
	// tokenFileMax is how much of a file is looked at for a token, in bytes.
	tokenFileMax = 64 << 10
)

// flags are the flags that all sub-verbs have.
type flags struct {
	address, tokenFile, ca, cert, key string
	timeout                           time.Duration
	format                            *cli.Choice
}

func newFlags(set *pflag.FlagSet) *flags {
	f := &flags{format: cli.NewChoice("text", "json")}
	set.StringVar(&f.address, "admin", "", "`ADDRESS` of the admin port: host:port, https://host:port or unix:/path; default: $"+addressVariable+", or "+addressDefault)
	set.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token; default: $"+config.AdminTokens)
	set.StringVar(&f.ca, "ca", "", "`FILE` with the authorities of the gateway's certificate; default: those of the system")
	set.StringVar(&f.cert, "cert", "", "`FILE` with a client certificate, in place of a token")
	set.StringVar(&f.key, "key", "", "`FILE` with its private key")
	set.DurationVar(&f.timeout, "timeout", timeoutDefault, "how long to wait for the answer")
	set.VarP(f.format, "format", "f", "output format; json is the gateway's answer")
	return f
}

// client asks one gateway.
type client struct {
	base      string
	token     string
	timeout   time.Duration
	json      bool
	transport *http.Transport
}

// client returns the client that the flags describe.
func (f *flags) client(env *cli.Env) (*client, error) {
	c := &client{timeout: f.timeout, json: f.format.Value == "json", transport: &http.Transport{DisableKeepAlives: true}}
	if f.timeout <= 0 {
		return nil, cli.Usagef("--timeout %v is not a time", f.timeout)
	}
	address := cmp.Or(f.address, env.Getenv(addressVariable), addressDefault)
	if err := c.reach(address); err != nil {
		return nil, err
	}
	if err := f.secure(c); err != nil {
		return nil, err
	}
	var err error
	c.token, err = f.token(env)
	return c, err
}

// reach sets where the gateway is.
func (c *client) reach(address string) error {
	rest, secure := strings.CutPrefix(address, "https://")
	rest = strings.TrimSuffix(strings.TrimPrefix(rest, "http://"), "/")
	if kind, path, err := service.Network(rest); err != nil {
		return cli.Usagef("--admin: %s", err)
	} else if kind == "unix" {
		dialer := net.Dialer{}
		c.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, kind, path) }
		c.base = "http://localhost"
		return nil
	}
	host, port, err := net.SplitHostPort(rest)
	if err != nil || port == "" || strings.Contains(rest, "/") {
		return cli.Usagef("--admin %q: want host:port, https://host:port or unix:/path", address)
	}
	c.base = "http://"
	if secure {
		c.base = "https://"
	}
	c.base += net.JoinHostPort(cmp.Or(host, "localhost"), port) // an address to listen at may have no host
	return nil
}

// secure sets what TLS uses.
func (f *flags) secure(c *client) error {
	https := strings.HasPrefix(c.base, "https://")
	switch {
	case !https && f.ca+f.cert+f.key != "":
		return cli.Usagef("--ca, --cert and --key need an address that begins with https://")
	case (f.cert == "") != (f.key == ""):
		return cli.Usagef("--cert and --key belong together")
	case !https:
		return nil
	}
	own := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.ca != "" {
		text, err := os.ReadFile(f.ca)
		if err != nil {
			return err
		}
		own.RootCAs = x509.NewCertPool()
		if !own.RootCAs.AppendCertsFromPEM(text) {
			return fmt.Errorf("--ca %s: no certificate in PEM", f.ca)
		}
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return err
		}
		own.Certificates = []tls.Certificate{pair}
	}
	c.transport.TLSClientConfig = own
	return nil
}

// token returns the token, "" if there is none.
func (f *flags) token(env *cli.Env) (string, error) {
	if f.tokenFile == "" {
		if words := strings.Fields(env.Getenv(config.AdminTokens)); len(words) > 0 {
			return words[0], nil
		}
		return "", nil
	}
	file, err := os.Open(f.tokenFile)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, tokenFileMax))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 0 && words[0][0] != '#' {
			return words[len(words)-1], nil // a name may be before it
		}
	}
	return "", fmt.Errorf("--token-file %s has no token", f.tokenFile)
}

func (c *client) close() { c.transport.CloseIdleConnections() }

// ask sends a request to the API, and reads the answer into to. A body of nil is a question;
// anything else a change. It reports whether the answer was printed, as JSON.
func (c *client) ask(ctx context.Context, env *cli.Env, path string, body, to any) (printed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	method, content := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		if content, err = json.Marshal(body); err != nil {
			return false, err
		}
	}
	status, text, err := c.send(ctx, method, path, content)
	for err == nil && status == http.StatusTooManyRequests { // a script changes many things
		select {
		case <-time.After(pause):
			status, text, err = c.send(ctx, method, path, content)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	switch {
	case err != nil:
		return false, fmt.Errorf("no answer from %s: %w", c.base, err)
	case len(text) > answerMax:
		return false, fmt.Errorf("%s has answered with more than %d bytes", c.base, answerMax)
	case status != http.StatusOK:
		return false, c.failed(env, status, text)
	}
	if err := json.Unmarshal(text, to); err != nil {
		return false, fmt.Errorf("%s has not answered as a gateway does: %w", c.base, err)
	}
	if c.json {
		_, err = env.Stdout.Write(text)
	}
	return c.json, err
}

// send sends a request once.
func (c *client) send(ctx context.Context, method, path string, content []byte) (status int, text []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+admin.APIPath+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.transport.RoundTrip(r) // which follows no redirect
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(io.LimitReader(resp.Body, answerMax+1))
	return resp.StatusCode, text, err
}

// failed prints why the gateway did not do what it was asked for.
func (c *client) failed(env *cli.Env, status int, text []byte) error {
	var d admin.ErrorDocument
	if json.Unmarshal(text, &d) != nil || d.Error.Message == "" {
		if status == http.StatusNotFound {
			return fmt.Errorf("%s has no admin API: is it the admin port of a gateway?", c.base)
		}
		return fmt.Errorf("%s has answered %d %s", c.base, status, http.StatusText(status))
	}
	if c.json {
		if _, err := env.Stdout.Write(text); err != nil {
			return err
		}
	}
	switch status {
	case http.StatusBadRequest:
		return &cli.UsageError{Err: errors.New(report.Visible(d.Error.Message))}
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest:
		return errors.New(report.Visible(d.Error.Message))
	}
	fmt.Fprintln(env.Stderr, report.Visible(d.Error.Message))
	for _, p := range d.Error.Problems {
		if p.Excerpt == "" {
			continue
		}
		for line := range strings.SplitSeq(p.Excerpt, "\n") {
			fmt.Fprintln(env.Stderr, report.Visible(line))
		}
	}
	return cli.ErrRefused
}
