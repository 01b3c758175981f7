package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

// echo starts an upstream that answers with what the gateway says about the sender.
func echo(t *testing.T) *httptest.Server {
	t.Helper()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "%s %s", r.Header.Get("X-Forwarded-For"), r.Header.Get("X-Rtbwire-Partner"))
	}))
	t.Cleanup(upstream.Close)
	return upstream
}

// secureClient returns a client of TLS.
func secureClient(t *testing.T, servers *certtest.Authority, h2 bool, certificates ...tls.Certificate) *http.Client {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!h2)
	protocols.SetHTTP2(h2)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: servers.Pool(), Certificates: certificates}, Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

func post(t *testing.T, c *http.Client, url string) (proto, answer string) {
	t.Helper()
	r, err := c.Post(url, "application/json", strings.NewReader(goodRequest))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s %q, %v", r.Status, text, err)
	}
	return r.Proto, string(text)
}

// TestServeTLS runs the program with TLS for both servers of HTTP: both protocols, partners by
// certificate, and certificates that change, by signal and by themselves.
func TestServeTLS(t *testing.T) {
	upstream := echo(t)
	servers, clients := certtest.New(t, "servers"), certtest.New(t, "clients")
	own := clients.Sign(t, []string{"a.example"}).Pair(t)
	for _, server := range []string{"fast", "std"} {
		t.Run(server, func(t *testing.T) {
			folder := t.TempDir()
			servers.Sign(t, []string{"127.0.0.1"}).Write(t, folder, "server")
			clients.Write(t, filepath.Join(folder, "clients.pem"))
			file := filepath.Join(folder, "rtbwire.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, `
version: 1
gateway:
  upstreams: [%q]
  tls: {certificates: [{cert: server.pem, key: server.key}], client_ca: clients.pem, client_auth: request}
partners: {mutual: {match: {mtls: a.example}}}
`, upstream.URL), 0o600); err != nil {
				t.Fatal(err)
			}
			p := startServe(t, true, "--config", file, "--admin", "127.0.0.1:0", "--http", server)
			url := "https://" + p.address + "/openrtb2/auction"
			serial := func() string {
				c, err := tls.Dial("tcp", p.address, &tls.Config{RootCAs: servers.Pool()})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				return c.ConnectionState().PeerCertificates[0].SerialNumber.String()
			}
			for h2, want := range map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"} {
				c := secureClient(t, servers, h2, own)
				stranger := secureClient(t, servers, h2)
				for range 2 {
					if proto, answer := post(t, c, url); proto != want || answer != "127.0.0.1 mutual" {
						t.Errorf("%s %q, want %s", proto, answer, want)
					}
				}
				if proto, answer := post(t, stranger, url); proto != want || answer != "127.0.0.1 " {
					t.Errorf("%s %q, want %s", proto, answer, want)
				}
			}
			before := serial()
			servers.Sign(t, []string{"127.0.0.1"}).Write(t, folder, "server")
			if err := p.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the certificate after the signal", func() bool { return serial() != before })
			before = serial()
			servers.Sign(t, []string{"127.0.0.1"}).Write(t, folder, "server")
			waitFor(t, "the certificate after the change", func() bool { return serial() != before })
			r, err := http.Get("http://" + p.admin + "/metrics")
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err != nil || !bytes.Contains(text, []byte(`rtbwire_gateway_tls_handshakes_total{result="done"}`)) || !bytes.Contains(text, []byte(`rtbwire_gateway_tls_reloads_total{result="done"}`)) {
				t.Errorf("%v, metrics:\n%s", err, text)
			}
			p.Stop(t)
		})
	}
}

// TestServeAdminTLS checks that operators have authorities of their own: who may send bid requests
// may not see the port of administration.
func TestServeAdminTLS(t *testing.T) {
	servers, clients, operators := certtest.New(t, "servers"), certtest.New(t, "clients"), certtest.New(t, "operators")
	folder := t.TempDir()
	cert, key := servers.Sign(t, []string{"127.0.0.1"}).Write(t, folder, "server")
	p := startServe(t, true, "--upstream", echo(t).URL, "--admin", "https://127.0.0.1:0", "--tls-cert", cert, "--tls-key", key,
		"--tls-client-ca", clients.Write(t, filepath.Join(folder, "clients.pem")),
		"--admin-client-ca", operators.Write(t, filepath.Join(folder, "operators.pem")))
	get := func(path string, certificates ...tls.Certificate) int {
		r, err := secureClient(t, servers, false, certificates...).Get("https://" + p.admin + path)
		if err != nil {
			return 0
		}
		defer r.Body.Close()
		return r.StatusCode
	}
	operator := operators.Sign(t, []string{"operator.example"}).Pair(t)
	sender := clients.Sign(t, []string{"a.example"}).Pair(t)
	for _, tt := range []struct {
		path         string
		certificates []tls.Certificate
		want         int
	}{
		{"/metrics", []tls.Certificate{operator}, 200},
		{"/metrics", nil, 401},
		{"/metrics", []tls.Certificate{sender}, 401}, // whose authority the server does not name, so the client does not send it
		{"/healthz", nil, 200},
	} {
		if got := get(tt.path, tt.certificates...); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.path, got, tt.want)
		}
	}
	c, err := tls.Dial("tcp", p.admin, &tls.Config{
		RootCAs:              servers.Pool(),
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &sender, nil },
	})
	if err == nil {
		_, _ = io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
		answer, err := io.ReadAll(c)
		if err == nil || len(answer) > 0 {
			t.Errorf("a sender's certificate: %q, %v", answer, err)
		}
		c.Close()
	}
}

// TestServeCertificatesOnce: both ports have the same certificates, and the log tells once what
// becomes of them. What becomes of the authorities of operators is told too.
func TestServeCertificatesOnce(t *testing.T) {
	servers, operators := certtest.New(t, "servers"), certtest.New(t, "operators")
	folder := t.TempDir()
	sign := func() (cert, key string) {
		return servers.Sign(t, []string{"127.0.0.1"}, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(5 * 24 * time.Hour) }).Write(t, folder, "server")
	}
	for _, own := range []bool{false, true} {
		cert, key := sign()
		args := []string{"--upstream", echo(t).URL, "--admin", "https://127.0.0.1:0", "--tls-cert", cert, "--tls-key", key}
		if own {
			args = append(args, "--admin-client-ca", operators.Write(t, filepath.Join(folder, "operators.pem")))
		}
		p := startServe(t, true, args...)
		sign()
		if err := p.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		again := map[bool]int{false: 1, true: 2}[own]
		loaded := func() int { return strings.Count(p.Text(), "the certificates were loaded again") }
		waitFor(t, "the new certificates", func() bool { return loaded() >= again })
		if err := p.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-p.Ended
		if warned := strings.Count(p.Text(), "a certificate needs attention"); warned == 0 || loaded() != again || strings.Contains(p.Text(), "attention\" port=admin") {
			t.Errorf("%d lines about certificates that expire, %d about those that are new, want %d: %s", warned, loaded(), again, p.Text())
		}
	}
}

// TestServeAddresses runs the program with several addresses: a port with the PROXY protocol, and a
// socket that a process before has left.
func TestServeAddresses(t *testing.T) {
	upstream := echo(t)
	path := filepath.Join(t.TempDir(), "bids.sock")
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close()
	p := startServe(t, false, "--listen", "unix:"+path, "--unix-mode", "0600", "--proxy-protocol", "127.0.0.1", "--upstream", upstream.URL)
	waitFor(t, "both addresses", func() bool { return len(announced.FindAllString(p.Text(), -1)) == 2 })
	request := fmt.Sprintf("POST /openrtb2/auction HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(goodRequest), goodRequest)
	tcp := announced.FindStringSubmatch(p.Text())[2]
	for _, tt := range []struct{ network, address, text, want string }{
		{"unix", path, request, " "},
		{"tcp", tcp, "PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n" + request, "192.0.2.7 "},
		{"tcp", tcp, request, ""},
	} {
		c, err := net.Dial(tt.network, tt.address)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.WriteString(c, tt.text); err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(c) // a reset, where it is refused
		if tt.want == "" && len(answer) > 0 || !strings.HasSuffix(string(answer), tt.want) {
			t.Errorf("%s: %q, want %q", tt.network, answer, tt.want)
		}
		c.Close()
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	p.Stop(t)
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

// TestServeCheckTLS checks what --check says about addresses and certificates.
func TestServeCheckTLS(t *testing.T) {
	folder := t.TempDir()
	a := certtest.New(t, "a")
	cert, key := a.Sign(t, []string{"a.example"}, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(1000 * time.Hour) }).Write(t, folder, "good")
	expired, expiredKey := a.Sign(t, []string{"a.example"}, certtest.Expired).Write(t, folder, "expired")
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"--tls-cert " + cert + " --tls-key " + key, 0, "no problems: would listen at 127.0.0.1:8080"},
		{"--listen https://:1 --listen http://:2 --tls-cert " + cert + " --tls-key " + key, 0, "would listen at https://:1, http://:2"},
		{"--tls-cert " + expired + " --tls-key " + expiredKey, 0, "warning: " + expired + ": the certificate has expired"},
		{"--tls-cert " + cert + " --tls-key " + expiredKey, 2, "private key does not match"},
		{"--tls-cert " + cert, 2, "1 times --tls-cert and 0 times --tls-key"},
		{"--tls-cert nowhere --tls-key nowhere", 2, "no such file"},
		{"--tls-client-ca " + cert, 2, "need a server certificate"},
		{"--tls-client-auth request --tls-cert " + cert + " --tls-key " + key, 2, "need authorities to verify them"},
		{"--listen https://:1", 2, "want a certificate"},
		{"--listen http://:1 --tls-cert " + cert + " --tls-key " + key, 2, "needs a TLS address"},
		{"--admin https://127.0.0.1:1", 2, "want a certificate"},
		{"--admin 127.0.0.1:1 --admin-client-ca " + cert, 2, "begins with https://"},
		{"--admin https://0.0.0.0:1 --listen http://:2 --tls-cert " + cert + " --tls-key " + key, 2, "can be reached from outside"},
		{"--admin https://0.0.0.0:1 --listen http://:2 --admin-client-ca " + cert + " --tls-cert " + cert + " --tls-key " + key, 0, "no problems"},
		{"--admin 127.0.0.1:x", 2, "no port"},
		{"--listen nonsense", 2, "want host:port"},
		{"--proxy-protocol nonsense", 2, "want a range of addresses"},
		{"--unix-mode rw", 2, "want an octal number"},
		{"--max-handshakes -1", 2, "want 0 for the default"},
		{"--max-resets -1", 2, "ResetsMax is -1"},
	} {
		out, err := exec.Command("rtbwire", append([]string{"serve", "--check", "--upstream", "http://127.0.0.1:1"}, strings.Fields(tt.args)...)...).CombinedOutput()
		status := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			status = exit.ExitCode()
		}
		if status != tt.status || !bytes.Contains(out, []byte(tt.want)) {
			t.Errorf("%s: status %d, %s, want %d, %s", tt.args, status, out, tt.status, tt.want)
		}
	}
}

// manager is the part of systemd that a restart needs: a socket that it keeps, and what services
// tell.
type manager struct {
	file   *os.File
	path   string
	notify *net.UnixConn
	mu     sync.Mutex
	told   []string
}

func newManager(t *testing.T) (*manager, string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &manager{path: filepath.Join(t.TempDir(), "notify")}
	if m.file, err = ln.(*net.TCPListener).File(); err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close() // the file keeps the socket open
	if m.notify, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.path, Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.file.Close(); m.notify.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := m.notify.Read(b)
			if err != nil {
				return
			}
			m.mu.Lock()
			m.told = append(m.told, string(b[:n]))
			m.mu.Unlock()
		}
	}()
	return m, address
}

// start starts the program as systemd would, and waits until it says that it is ready.
func (m *manager) start(t *testing.T, upstream string) *process {
	t.Helper()
	before := m.count("READY=1")
	c := exec.Command("sh", "-c", `LISTEN_PID=$$ exec rtbwire serve --listen systemd:bids --upstream "$1"`, "sh", upstream)
	c.Env = append(os.Environ(), "LISTEN_FDS=1", "LISTEN_FDNAMES=bids", "NOTIFY_SOCKET="+m.path, "WATCHDOG_USEC=100000")
	c.ExtraFiles = []*os.File{m.file}
	p := startProcess(t, false, c)
	waitFor(t, "readiness", func() bool { return m.count("READY=1") > before })
	return p
}

// count returns how often something was told.
func (m *manager) count(what string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, told := range m.told {
		if strings.HasPrefix(told, what) {
			n++
		}
	}
	return n
}

// TestServeRestart replaces the process while clients connect for each request: the socket is kept,
// so no connection is refused, and no request lost.
func TestServeRestart(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("systemd is Linux's")
	}
	upstream := echo(t)
	m, address := newManager(t)
	p := m.start(t, upstream.URL)
	var stop atomic.Bool
	var answers atomic.Int64
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 60 * time.Second}
			for !stop.Load() {
				r, err := c.Post("http://"+address+"/openrtb2/auction", "application/json", strings.NewReader(goodRequest))
				if err != nil {
					t.Errorf("after %d answers: %v", answers.Load(), err)
					return
				}
				if r.StatusCode != http.StatusOK {
					t.Errorf("after %d answers: %s", answers.Load(), r.Status)
				}
				r.Body.Close()
				answers.Add(1)
			}
		})
	}
	more := func() {
		t.Helper()
		before := answers.Load()
		waitFor(t, "answers", func() bool { return answers.Load() > before+20 || t.Failed() })
	}
	for range 2 {
		more()
		p.Stop(t)
		p = m.start(t, upstream.URL)
	}
	more()
	stop.Store(true)
	senders.Wait()
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the reload", func() bool { return m.count("RELOADING=1\nMONOTONIC_USEC=") == 1 && m.count("READY=1") == 4 })
	waitFor(t, "the watchdog", func() bool { return m.count("WATCHDOG=1") > 2 })
	if n := m.count("STOPPING=1"); n != 2 {
		t.Errorf("told %d times that it stops", n)
	}
}
