package upstreams

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Location{
		"http://a.example":          {"tcp", "a.example:80", "a.example", "", ""},
		"http://a.example:1/":       {"tcp", "a.example:1", "a.example:1", "", ""},
		"https://a.example":         {"tcp", "a.example:443", "a.example", "", "a.example"},
		"https://a.example:1/x%20y": {"tcp", "a.example:1", "a.example:1", "/x%20y", "a.example"},
		"https://[::1]":             {"tcp", "[::1]:443", "[::1]", "", "::1"},
		"http://[::1]:1":            {"tcp", "[::1]:1", "[::1]:1", "", ""},
		"unix:/run/core.sock":       {"unix", "/run/core.sock", "localhost", "", ""},
	} {
		if got, err := Parse(name); got != want || err != nil {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, name := range []string{"", "unix:", "a.example:1", "ftp://a", "http://", "https://:1", "http://a?b", "http://a#b", "http://u@a", "h2c://a"} {
		if got, err := Parse(name); err == nil {
			t.Errorf("%q: %+v", name, got)
		}
	}
}

// TestTLS makes the settings of TLS, and reaches servers with good and bad certificates.
func TestTLS(t *testing.T) {
	t.Parallel()
	authority, other := certtest.New(t, "authority"), certtest.New(t, "other")
	at, none := parse(t, "http://127.0.0.1:1", string(authority.PEM))
	if none != nil {
		t.Errorf("TLS of %s", at.Host)
	}
	at, _ = parse(t, "https://127.0.0.1:1", "")
	if c, err := at.TLS("no PEM"); err == nil {
		t.Errorf("authorities that are none: %v", c)
	}

	for _, tt := range []struct {
		name, signedFor string
		by              *certtest.Authority
		versionMax      uint16
		good            bool
	}{
		{"good", "127.0.0.1", authority, 0, true},
		{"TLS 1.2", "127.0.0.1", authority, tls.VersionTLS12, true},
		{"TLS 1.1", "127.0.0.1", authority, tls.VersionTLS11, false},
		{"another authority", "127.0.0.1", other, 0, false},
		{"another name", "127.0.0.2", authority, 0, false},
	} {
		leaf := tt.by.Sign(t, []string{tt.signedFor})
		pair, err := tls.X509KeyPair(leaf.Certificate, leaf.Key)
		if err != nil {
			t.Fatal(err)
		}
		ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS10, MaxVersion: tt.versionMax})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				io.Copy(c, c)
				c.Close()
			}
		}()
		at, secure := parse(t, "https://"+ln.Addr().String(), string(authority.PEM))
		for range 2 {
			c, err := at.Dial(secure, limits, patience)
			var dial *DialError
			if tt.good != (err == nil) || err != nil && (!errors.As(err, &dial) || !Unsent(err) || IsTimeout(err)) {
				t.Errorf("%s: %v", tt.name, err)
			}
			if err == nil {
				c.Close()
			}
		}
		ln.Close()
	}
}

// TestDial fails to reach upstreams: nothing was sent, and what took too long says so.
func TestDial(t *testing.T) {
	t.Parallel()
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never shakes hands
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for name, timeout := range map[string]bool{
		"http://" + gone.Addr().String():             false,
		"unix:" + filepath.Join(t.TempDir(), "none"): false,
		"https://" + mute.Addr().String():            true,
	} {
		at, secure := parse(t, name, "")
		wait := patience
		if timeout {
			wait = 100 * time.Millisecond
		}
		c, err := at.Dial(secure, limits, wait)
		var dial *DialError
		if err == nil || c != nil || !errors.As(err, &dial) || !Unsent(err) || IsTimeout(err) != timeout || dial.Timeout() != timeout {
			t.Errorf("%s: %v, want a timeout: %v", name, err, timeout)
		}
	}
}
