package transport

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

const signature2 = "\r\n\r\n\x00\r\nQUIT\n"

// header2 returns a header of version 2.
func header2(command, family byte, body string) string {
	length := binary.BigEndian.AppendUint16(nil, uint16(len(body)))
	return signature2 + string([]byte{command, family}) + string(length) + body
}

var headerCases = []struct{ name, header, want string }{
	{"1, IPv4", "PROXY TCP4 192.0.2.7 198.51.100.1 5000 443\r\n", "192.0.2.7"},
	{"1, IPv6", "PROXY TCP6 2001:db8::7 2001:db8::1 5000 443\r\n", "2001:db8::7"},
	{"1, unknown", "PROXY UNKNOWN\r\n", "127.0.0.1"},
	{"1, unknown with addresses", "PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", "127.0.0.1"},
	{"2, IPv4", header2(0x21, 0x11, "\xc0\x00\x02\x07\xc6\x33\x64\x01\x13\x88\x01\xbb"), "192.0.2.7"},
	{"2, IPv6", header2(0x21, 0x21, "\x20\x01\x0d\xb8"+strings.Repeat("\x00", 11)+"\x07"+"\x20\x01\x0d\xb8"+strings.Repeat("\x00", 12)+"\x13\x88\x01\xbb"), "2001:db8::7"},
	{"2, with more", header2(0x21, 0x11, "\xc0\x00\x02\x07\xc6\x33\x64\x01\x13\x88\x01\xbb\x04\x00\x03abc"), "192.0.2.7"},
	{"2, local", header2(0x20, 0x00, ""), "127.0.0.1"},
	{"2, local with addresses", header2(0x20, 0x11, "\xc0\x00\x02\x07\xc6\x33\x64\x01\x13\x88\x01\xbb"), "127.0.0.1"},

	{"none", "", ""},
	{"a request", "GET / HTTP/1.1\r\n\r\n", ""},
	{"1, lower case", "proxy TCP4 192.0.2.7 198.51.100.1 5000 443\r\n", ""},
	{"1, bare LF", "PROXY TCP4 192.0.2.7 198.51.100.1 5000 443\n", ""},
	{"1, not an address", "PROXY TCP4 192.0.2.999 198.51.100.1 5000 443\r\n", ""},
	{"1, two spaces", "PROXY  TCP4 192.0.2.7 198.51.100.1 5000 443\r\n", ""},
	{"1, families", "PROXY TCP4 2001:db8::7 198.51.100.1 5000 443\r\n", ""},
	{"1, port", "PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n", ""},
	{"1, too long", "PROXY TCP4 " + strings.Repeat("1", 200) + "\r\n", ""},
	{"2, unspecified", header2(0x21, 0x00, ""), ""},
	{"2, datagrams", header2(0x21, 0x12, "\xc0\x00\x02\x07\xc6\x33\x64\x01\x13\x88\x01\xbb"), ""},
	{"2, sockets of files", header2(0x21, 0x31, strings.Repeat("a", 216)), ""},
	{"2, version", header2(0x31, 0x11, "\xc0\x00\x02\x07\xc6\x33\x64\x01\x13\x88\x01\xbb"), ""},
	{"2, command", header2(0x22, 0x11, "\xc0\x00\x02\x07\xc6\x33\x64\x01\x13\x88\x01\xbb"), ""},
	{"2, too short", header2(0x21, 0x11, "\xc0\x00\x02\x07"), ""},
	{"2, too long", header2(0x21, 0x11, strings.Repeat("\x00", 60000)), ""},
}

// loopback are the peers of tests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func TestHeaders(t *testing.T) {
	s := serve(t, Options{Proxies: loopback}, false)
	good := 0
	for _, tt := range headerCases {
		got, err := talk(s.dial(t), tt.header+"hello\n")
		want := ""
		if tt.want != "" {
			want = "http/1.1 " + tt.want + "  hello"
			good++
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, want)
		}
	}
	waitFor(t, "the counts", func() bool {
		return counted(s.metrics.headers.WithLabelValues(resultDone)) == float64(good) &&
			counted(s.metrics.headers.WithLabelValues(resultFailed)) == float64(len(headerCases)-good)
	})
}

// TestHeadersBeforeTLS checks the order: the header, then the handshake.
func TestHeadersBeforeTLS(t *testing.T) {
	a := newAuthorities(t)
	a.options.ClientCAs = nil
	s := serve(t, Options{Proxies: loopback, TLS: a.options}, true)
	for _, tt := range headerCases {
		c := s.dial(t)
		if _, err := io.WriteString(c, tt.header); err != nil {
			t.Fatal(err)
		}
		got, err := talk(tls.Client(c, a.client(protocols("h2"))), "hello\n")
		want := ""
		if tt.want != "" {
			want = "h2 " + tt.want + "  hello"
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, want)
		}
	}
}

// TestHeadersOfOthers checks that a header from a peer that is not a proxy is not taken.
func TestHeadersOfOthers(t *testing.T) {
	s := serve(t, Options{Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}, false)
	for _, tt := range headerCases[:3] {
		got, err := talk(s.dial(t), tt.header+"hello\n")
		if want := "http/1.1 127.0.0.1  " + strings.TrimSuffix(tt.header, "\r\n"); !strings.HasPrefix(got, want) || err != nil {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, want)
		}
	}
}

// TestHalfAHeader checks that a header which does not come is not waited for.
func TestHalfAHeader(t *testing.T) {
	s := serve(t, Options{Proxies: loopback, HandshakeTimeout: 50 * time.Millisecond}, false)
	for _, half := range []string{"", "PRO", "PROXY TCP4 192", signature2, signature2 + "\x21\x11\x00\x0c\xc0"} {
		c := s.dial(t)
		if _, err := io.WriteString(c, half); err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(c); len(answer) > 0 {
			t.Errorf("%q: %q, %v", half, answer, err)
		}
	}
	if late := counted(s.metrics.headers.WithLabelValues(resultLate)); late < 3 {
		t.Errorf("%v were late", late)
	}
}

// TestProxiedHalfClose checks that a connection with a header can be half closed.
func TestProxiedHalfClose(t *testing.T) {
	transport, err := New(Options{Proxies: loopback})
	if err != nil {
		t.Fatal(err)
	}
	ln := transport.Listener(listen(t, &Sockets{}, "127.0.0.1:0"), false)
	defer ln.Close()
	s := &server{addr: ln.Addr().String()}
	client := s.dial(t)
	if _, err := io.WriteString(client, "PROXY TCP4 192.0.2.7 198.51.100.1 5000 443\r\n"); err != nil {
		t.Fatal(err)
	}
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if local := c.LocalAddr().String(); local != "198.51.100.1:443" {
		t.Errorf("local address %s", local)
	}
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Error(err)
	}
	if b, err := io.ReadAll(client); err != nil || len(b) > 0 {
		t.Errorf("%q, %v", b, err)
	}
	if _, ok := c.(interface{ NetConn() net.Conn }).NetConn().(*net.TCPConn); !ok {
		t.Error("the connection below is another one")
	}
}
