package guard

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// TestUnread wants nothing more to be handed on after an early answer.
func TestUnread(t *testing.T) {
	for _, pieces := range [][]string{
		{post("Content-Length: 10\r\n", ""), smuggled[:10], smuggled},
		{chunks("a\r\n012"), "3456789\r\n0\r\n\r\n"},
		{post("Content-Length: 10\r\nExpect: 100-continue\r\n", ""), smuggled},
	} {
		s := &script{pieces: pieces}
		c := mustGuard(t, limits, nil).Conn(s)
		p := make([]byte, 4096)
		if n, err := c.Read(p); n == 0 || err != nil || !c.Unread() {
			t.Fatalf("%d, %v, %t", n, err, c.Unread())
		}
		if _, err := io.WriteString(c, "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if n, err := c.Read(p); n != 0 || !errors.Is(err, ErrUnread) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%q: Read after the answer: %d, %v", pieces, n, err)
			}
		}
		if err := c.Close(); err != nil || s.halves != 1 || s.lingered == 0 || s.closes != 1 {
			t.Errorf("%q: Close: %v, %+v", pieces, err, s)
		}
	}
}

// TestUnreadInStash is TestUnread with a server that reads less than has come.
func TestUnreadInStash(t *testing.T) {
	s := &script{pieces: []string{post("Content-Length: 3\r\n", "abc") + smuggled}}
	c := mustGuard(t, limits, nil).Conn(s)
	if _, err := c.Read(make([]byte, 20)); err != nil || !c.Unread() {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, okAnswer)
	if n, err := c.Read(make([]byte, 20)); n != 0 || !errors.Is(err, ErrUnread) {
		t.Errorf("Read after the answer: %d, %v", n, err)
	}
}

// TestInterimAnswers wants 1xx answers not to be taken for final ones.
func TestInterimAnswers(t *testing.T) {
	for _, interim := range []string{"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"} {
		var codes []string
		s := &script{pieces: []string{chunks(""), "5\r\nabcde\r\n", "x"}}
		c := mustGuard(t, limits, &codes).Conn(s)
		p := make([]byte, 4096)
		if _, err := c.Read(p); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, interim)
		if n, err := c.Read(p); n != 10 || err != nil {
			t.Fatalf("the body: %d, %v", n, err)
		}
		if n, err := c.Read(p); n != 0 || !errors.Is(err, chunkSize) {
			t.Errorf("%d, %v", n, err)
		}
		if got := s.written.String(); got != interim+string(chunkSize.answer) {
			t.Errorf("written %q", got)
		}
	}
	for _, final := range []string{"HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 1"} {
		if isInterim([]byte(final)) {
			t.Errorf("%q is an interim answer", final)
		}
	}
}

// TestAnswerHasBegun wants the guard not to answer into the server's answer, which begins while
// Read waits: the server has a goroutine of its own for it.
func TestAnswerHasBegun(t *testing.T) {
	for _, tc := range []struct{ begin, then string }{
		{"HTTP/1.1 200 OK\r\n", ""},
		{"HTTP/1.1 100 Continue\r\n\r\n", string(chunkSize.answer)},
		{"", string(chunkSize.answer)},
	} {
		var codes []string
		s := &script{pieces: []string{chunks(""), "x"}}
		c := mustGuard(t, limits, &codes).Conn(s)
		if _, err := c.Read(make([]byte, 4096)); err != nil {
			t.Fatal(err)
		}
		s.onRead = func() { _, _ = io.WriteString(c, tc.begin) }
		if _, err := c.Read(make([]byte, 4096)); !errors.Is(err, chunkSize) || fmt.Sprint(codes) != "[chunk.size]" {
			t.Errorf("after %q: %v, %v", tc.begin, codes, err)
		}
		if got := s.written.String(); got != tc.begin+tc.then {
			t.Errorf("written %q, want %q", got, tc.begin+tc.then)
		}
	}
}

// echo answers with what it has read.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Context().Err() != nil {
		err = r.Context().Err()
	}
	fmt.Fprintf(w, "%s %s %q %v", r.Method, r.RequestURI, body, err)
}

// serveHTTP serves with net/http behind a guard. Its read deadlines come and go.
func serveHTTP(t *testing.T, o Options, handler http.HandlerFunc) net.Listener {
	t.Helper()
	l := mustGuard(t, o, nil).Listener(listen(t))
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return l
}

// exchange sends a text, and returns the answers until the connection ends.
func exchange(t *testing.T, l net.Listener, text string) (answers []string) {
	t.Helper()
	c := dial(t, l)
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	for {
		answer, err := http.ReadResponse(r, nil)
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return answers
		}
		if err != nil {
			t.Fatalf("after %q: %v", answers, err)
		}
		body, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, fmt.Sprintf("%d %s", answer.StatusCode, body))
	}
}

// TestNetHTTP wants answers in the order of the requests, with a server that looks for the next
// request while its handler runs.
func TestNetHTTP(t *testing.T) {
	l := serveHTTP(t, Options{}, echo)
	for _, tc := range []struct{ text, want string }{
		{get("") + post("Content-Length: 2\r\n", "ab") + chunks("2\r\ncd\r\n0\r\n\r\n") + get("Connection: close\r\n"),
			`200 GET / "" <nil>|200 POST /bid "ab" <nil>|200 POST /bid "cd" <nil>|200 GET / "" <nil>`},
		{get("") + "GET /\n\n", `200 GET / "" <nil>|400 `},
		{post("Content-Length: 2\r\n", "ab") + get("Content-Length: 1\r\n") + "x" + smuggled, `200 POST /bid "ab" <nil>|400 `},
		{post("Content-Length: 2\r\n", "ab") + chunks("1\r\na\r\nx"), `200 POST /bid "ab" <nil>|400 `},
		{get("") + post("Content-Length: 999999\r\n", ""), `200 GET / "" <nil>|413 `},
		{get("") + "GET / HTTP/2.0\r\n", `200 GET / "" <nil>|505 `},
		{"\x16\x03\x01", "400 "},
		{post("Content-Length: 1\r\nContent-Length: 1\r\n", "a") + smuggled, "400 "},
		{post("Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n", "ab"), `100 |200 POST /bid "ab" <nil>`},
	} {
		if got := strings.Join(exchange(t, l, tc.text), "|"); got != tc.want {
			t.Errorf("%q\nis answered %s\nwant        %s", tc.text, got, tc.want)
		}
	}
}

// TestHeldRefusal wants a refusal to wait for a handler that takes its time, without cancelling it.
func TestHeldRefusal(t *testing.T) {
	o := Options{IdleTimeout: 10 * time.Millisecond, HeadTimeout: 20 * time.Millisecond}
	first := make(chan int64, 2)
	l := mustGuard(t, o, nil).Listener(listen(t))
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := r.Context().Value(connKey{}).(*Conn)
		first <- c.BytesRead()
		select {
		case <-r.Context().Done():
			fmt.Fprint(w, "cancelled")
		case <-time.After(100 * time.Millisecond):
		}
		first <- c.BytesRead()
	})}
	server.ConnContext = withConn
	done := make(chan error)
	go func() { done <- server.Serve(l) }()
	for text, want := range map[string]string{
		get("") + "x\n":                       "[200  400 ]", // wrong
		get("") + "GET / HTTP/1.1\r\nHost: a": "[200  408 ]", // incomplete for too long
		get(""):                               "[200 ]",      // idle for too long
	} {
		if got := fmt.Sprint(exchange(t, l, text)); got != want {
			t.Errorf("%q is answered %s, want %s", text, got, want)
		}
		if before, after := <-first, <-first; before != after || before != int64(len(get(""))) {
			t.Errorf("%q: the message has %d bytes, then %d", text, before, after)
		}
	}
	_ = server.Close()
	<-done
}

// TestEarlyMessages wants the facts about a message to stay while the next one is read too early.
func TestEarlyMessages(t *testing.T) {
	s := &script{pieces: []string{get(""), post("Content-Length: 3\r\n", ""), "abc", get("")}}
	c := mustGuard(t, limits, nil).Conn(s)
	p := make([]byte, 4096)
	read := func(size, want int) {
		t.Helper()
		if n, err := c.Read(p[:size]); n != want || err != nil {
			t.Fatalf("%d, %v, want %d", n, err, want)
		}
	}
	if c.BytesRead() != 0 {
		t.Errorf("before the first message: %d bytes", c.BytesRead())
	}
	read(4096, len(get("")))
	size := c.BytesRead()
	if size != int64(len(get(""))) {
		t.Errorf("the first message: %d bytes", size)
	}
	read(1, 1)
	if c.BytesRead() != size {
		t.Errorf("a byte too early: %d bytes, want %d", c.BytesRead(), size)
	}
	_, _ = io.WriteString(c, okAnswer)
	read(4096, len(post("Content-Length: 3\r\n", ""))-1)
	if c.BytesRead() != int64(len(post("Content-Length: 3\r\n", ""))) {
		t.Errorf("the second message: %d bytes", c.BytesRead())
	}
	read(4096, 3)
	if _, err := c.Read(nil); err != nil {
		t.Error(err)
	}
	_, _ = io.WriteString(c, okAnswer)
	read(4096, len(get("")))
	if err := c.Close(); err != nil || s.halves != 0 {
		t.Errorf("Close between messages: %v, %d", err, s.halves)
	}
}

// TestLinger wants the client to get the answer although it goes on sending.
func TestLinger(t *testing.T) {
	l := serveHTTP(t, Options{}, echo)
	for range 20 {
		c := dial(t, l)
		if _, err := io.WriteString(c, post("Content-Length: 600000\r\n", strings.Repeat("x", 600000))); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); string(got) != string(bodySize.answer) || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
	}
	// Within bounds.
	o := limits
	o.LingerBytes = 5000
	s := &script{pieces: []string{"x\n"}}
	for range 100 {
		s.pieces = append(s.pieces, strings.Repeat("x", 1000))
	}
	if _, err := mustGuard(t, o, nil).Conn(s).Read(make([]byte, 4096)); !errors.Is(err, io.EOF) || s.lingered != 5000 {
		t.Errorf("%v after %d bytes", err, s.lingered)
	}
}

// TestHeldTwice wants a refusal to wait for an answer, not only for an interrupted Read.
func TestHeldTwice(t *testing.T) {
	var codes []string
	s := &script{pieces: []string{get("") + "x\n", "y", "z"}, then: os.ErrDeadlineExceeded}
	c := mustGuard(t, limits, &codes).Conn(s)
	p := make([]byte, 4096)
	if _, err := c.Read(p); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := c.Read(p); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || s.written.Len() > 0 {
			t.Fatalf("%d, %v, %q", n, err, s.written.String())
		}
	}
	_, _ = io.WriteString(c, okAnswer)
	if n, err := c.Read(p); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("after the answer: %d, %v", n, err)
	}
	if got := s.written.String(); got != okAnswer+string(headBareLF.answer) || fmt.Sprint(codes) != "[head.bare-lf]" {
		t.Errorf("%v, written %q", codes, got)
	}
}

func TestErrors(t *testing.T) {
	if got := chunkSize.Error(); got != "guard: refused, chunk.size: unexpected EOF" {
		t.Errorf("%q", got)
	}
	broken := errors.New("connection reset by peer")
	for name, pieces := range map[string][]string{"idle": nil, "head": {"GET"}, "body": {post("Content-Length: 1\r\n", "")}} {
		var codes []string
		s := &script{pieces: pieces, then: broken}
		c := mustGuard(t, limits, &codes).Conn(s)
		var err error
		for err == nil {
			_, err = c.Read(make([]byte, 4096))
		}
		if !errors.Is(err, broken) || len(codes) > 0 || s.written.Len() > 0 {
			t.Errorf("%s: %v, %v, %q", name, err, codes, s.written.String())
		}
	}
	l := mustGuard(t, limits, nil).Listener(listen(t))
	_ = l.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	client, server := pair(t)
	c := mustGuard(t, limits, nil).Conn(server)
	if c.NetConn() != server {
		t.Error("NetConn is another connection")
	}
	_ = client.Close()
	if err := c.SetDeadline(time.Now().Add(-1)); err != nil {
		t.Error(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	if _, err := c.Write(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{HeadBytes: 100}, {HeadBytes: -1}, {Fields: -1}, {TargetBytes: 17 << 10}, {BodyBytes: -1}, {BodyBytes: 1<<63 - 1}, {HeadTimeout: -1}, {BodyTimeout: -1},
		{IdleTimeout: -1}, {LingerTimeout: -1}, {LingerBytes: -1},
	} {
		if g, err := New(o); err == nil || g != nil {
			t.Errorf("%+v is valid", o)
		}
	}
	if g, err := New(Options{HeadBytes: 1000}); err != nil || g.options.TargetBytes != 1000 {
		t.Errorf("%+v, %v", g, err)
	}
	want := Options{
		HeadBytes: 16 << 10, Fields: 100, TargetBytes: 8 << 10, BodyBytes: 256 << 10, HeadTimeout: 5 * time.Second, BodyTimeout: 5 * time.Second,
		IdleTimeout: 75 * time.Second, LingerTimeout: time.Second, LingerBytes: 1 << 20,
	}
	if got := fmt.Sprintf("%+v", mustGuard(t, Options{}, nil).options); got != fmt.Sprintf("%+v", want) {
		t.Errorf("defaults %s, want %+v", got, want)
	}
}
