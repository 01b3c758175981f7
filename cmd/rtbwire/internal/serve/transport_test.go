package serve

import (
	"crypto/tls"
	"io/fs"
	"net/netip"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/transport"
)

// TestTransport reads every key about connections. Names of files are relative to the file.
func TestTransport(t *testing.T) {
	t.Parallel()
	s := open(t, `
version: 1
gateway:
  listen: ["127.0.0.1:1", "https://[::]:2", "unix:/x", "systemd:bids"]
  unix_mode: "0660"
  proxy_protocol: [10.0.0.0/8]
  tls: {certificates: [{cert: a.pem, key: /b.key}], client_ca: [c.pem, /d.pem], client_auth: request, min_version: "1.3", http2: false}
  timeouts: {handshake: 1ms}
  max: {handshakes: 2}
`)
	c := transport.Configured.In(&s.Config.Scope)
	folder := filepath.Dir(s.Config.Files[0])
	want := transport.Options{
		Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, HandshakeTimeout: time.Millisecond, HandshakesMax: 2,
		TLS: transport.TLS{
			Pairs:     []transport.Pair{{Certificate: filepath.Join(folder, "a.pem"), Key: "/b.key"}},
			ClientCAs: []string{filepath.Join(folder, "c.pem"), "/d.pem"}, ClientAuth: transport.ClientRequest,
			MinVersion: tls.VersionTLS13, NoHTTP2: true,
		},
	}
	if got := c.Options; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if list, err := c.Addresses(); err != nil || len(list) != 4 || list[3].String() != "systemd:bids" {
		t.Errorf("%v, %v", list, err)
	}
	if mode, err := c.Mode(); err != nil || mode != 0o660 {
		t.Errorf("%v, %v", mode, err)
	}
}

// TestTransportDefaults holds the defaults of the file's keys to those of package transport.
func TestTransportDefaults(t *testing.T) {
	t.Parallel()
	c := transport.Configured.In(&open(t, "version: 1\ngateway: {tls: {certificates: [{cert: a, key: b}], client_ca: c}}\n").Config.Scope)
	got := c.Options
	if got.HandshakeTimeout != transport.HandshakeTimeoutDefault || got.HandshakesMax != transport.HandshakesMaxDefault ||
		got.TLS.MinVersion != 0 || got.TLS.NoHTTP2 || got.TLS.ClientAuth != "" || len(got.TLS.ClientCAs) != 1 {
		t.Errorf("%+v", got)
	}
	if list, err := c.Addresses(); err != nil || len(list) != 1 || list[0].String() != "127.0.0.1:8080" {
		t.Errorf("%v, %v", list, err)
	}
}

func TestUnixMode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]fs.FileMode{"": 0, "600": 0o600, "0666": 0o666, "0777": 0o777} {
		if got, err := (&transport.Settings{UnixMode: text}).Mode(); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "8", "4755", "rw", "-1", "77777777777"} {
		if got, err := (&transport.Settings{UnixMode: text}).Mode(); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
