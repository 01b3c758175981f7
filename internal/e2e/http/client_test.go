package http

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

const path = "/openrtb2/auction"

// good is a bid request that the default configuration accepts. It has no tmax.
const good = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"a.example"},"device":{"ua":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","ip":"8.8.8.8"}}`

// refused is a bid request that the default configuration refuses.
const refused = `{"id":"1","imp":[]}`

// identified is the good request with another id.
func identified(id string) string {
	return strings.Replace(good, `"id":"1"`, fmt.Sprintf(`"id":%q`, id), 1)
}

// padded is the good request with an id, and as long as asked for.
func padded(id string, length int) string {
	text := strings.TrimSuffix(identified(id), "}") + `,"ext":{"x":"`
	return text + strings.Repeat("x", max(length-len(text)-3, 0)) + `"}}`
}

// post is a request with a body and further fields.
func post(body string, fields ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: gateway.example\r\n%sContent-Length: %d\r\n\r\n%s", path, strings.Join(fields, ""), len(body), body)
}

// chunked is a request whose body is given with its chunks.
func chunked(chunks string, fields ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: gateway.example\r\n%sTransfer-Encoding: chunked\r\n\r\n%s", path, strings.Join(fields, ""), chunks)
}

// chunks cuts a body into chunks.
func chunks(body string, size int) string {
	var b strings.Builder
	for len(body) > 0 {
		n := min(size, len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\n\r\n"
}

// zipped compresses a text.
func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// client is a connection to the gateway.
type client struct {
	net.Conn
	r *bufio.Reader
}

// reply is an answer.
type reply struct {
	*http.Response
	text string
}

func (r *reply) String() string {
	if r == nil {
		return "no answer"
	}
	return fmt.Sprintf("%s, %q", r.Status, r.text)
}

const patience = time.Minute

// connect opens a connection, which is closed with the test.
func connect(t *testing.T, p *process) *client {
	t.Helper()
	c := dial(t, p.address)
	_ = c.SetDeadline(time.Now().Add(patience))
	return newClient(c)
}

func newClient(c net.Conn) *client { return &client{c, bufio.NewReader(c)} }

// send writes a text. The gateway may have answered and closed in the middle of it.
func (c *client) send(text string) { _, _ = io.WriteString(c, text) }

// read reads the next answer.
func (c *client) read(method string) (*reply, error) {
	resp, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	return &reply{resp, string(text)}, err
}

// answer reads the next answer.
func (c *client) answer(t *testing.T) *reply {
	t.Helper()
	r, err := c.read(http.MethodPost)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	return r
}

// closes waits for the end of the connection. It reports whether nothing came before.
func (c *client) closes() bool {
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err := c.r.ReadByte()
	return err != nil && !isTimeout(err)
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// works reports what is wrong if the connection does not take a good request.
func (c *client) works() error {
	c.send(post(good))
	r, err := c.read(http.MethodPost)
	switch {
	case err != nil:
		return err
	case r.StatusCode != http.StatusOK:
		return fmt.Errorf("status %d", r.StatusCode)
	}
	return nil
}

// fine fails the test if the gateway does not serve a good request on a new connection.
func fine(t *testing.T, p *process) {
	t.Helper()
	c := connect(t, p)
	defer c.Close()
	if err := c.works(); err != nil {
		t.Errorf("a good request afterwards: %v\n%s", err, p.Text())
	}
}
