package replay

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// PathDefault is the path of a target whose URL has none.
const PathDefault = "/openrtb2/auction"

// Target is a server. Make it with [ParseTarget].
type Target struct {
	Network string // tcp or unix
	Address string // host and port, or the path of a socket
	Host    string // of the Host header field
	Path    string // with the query, if there is one
}

// ParseTarget reads a URL:
//
//	http://127.0.0.1:8080/openrtb2/auction
//	http://unix:/run/gateway.sock:/openrtb2/auction
//	unix:/run/gateway.sock
//
// A URL without a path means [PathDefault].
func ParseTarget(text string) (Target, error) {
	rest, found := strings.CutPrefix(text, "http://")
	if strings.HasPrefix(text, "https://") {
		return Target{}, fmt.Errorf("replay: target %s: TLS is not supported; send to the plain port behind it", setting.MaskURLs(text))
	}
	if path, unix := strings.CutPrefix(rest, "unix:"); unix {
		return unixTarget(text, path)
	}
	if !found {
		return Target{}, fmt.Errorf("replay: target %q: want a URL such as http://127.0.0.1:8080%s or http://unix:/run/gateway.sock:%s", setting.MaskURLs(text), PathDefault, PathDefault)
	}
	u, err := url.Parse(text)
	if err != nil {
		return Target{}, fmt.Errorf("replay: target: %s", setting.MaskURLs(err.Error()))
	}
	switch {
	case u.Hostname() == "":
		return Target{}, fmt.Errorf("replay: target %q has no host", setting.MaskURLs(text))
	case u.User != nil:
		return Target{}, fmt.Errorf("replay: target %q: names and passwords in URLs are not sent; use a header field", setting.MaskURLs(text))
	case u.Fragment != "":
		return Target{}, fmt.Errorf("replay: target %q has a fragment, which is never sent", setting.MaskURLs(text))
	}
	t := Target{Network: "tcp", Address: u.Host, Host: u.Host, Path: u.RequestURI()}
	if u.Port() == "" {
		t.Address = net.JoinHostPort(u.Hostname(), "80")
	}
	if u.Path == "" {
		t.Path = PathDefault + strings.TrimPrefix(t.Path, "/")
	}
	return t, nil
}

// unixTarget reads "PATH" or "PATH:/path", without what is before it in the URL.
func unixTarget(text, rest string) (Target, error) {
	t := Target{Network: "unix", Address: rest, Host: "localhost", Path: PathDefault}
	if i := strings.LastIndex(rest, ":/"); i > 0 {
		u, err := url.ParseRequestURI(rest[i+1:])
		if err != nil {
			return t, fmt.Errorf("replay: target: %w", err)
		}
		t.Address, t.Path = rest[:i], u.RequestURI()
	}
	if t.Address == "" {
		return t, fmt.Errorf("replay: target %q names no socket", text)
	}
	return t, nil
}

// String returns the target as a URL.
func (t Target) String() string {
	if t.Network == "unix" {
		return "http://unix:" + t.Address + ":" + t.Path
	}
	return "http://" + t.Host + t.Path
}

// head returns the head of a request up to the value of Content-Length.
func (t *Target) head(fields []Header) []byte {
	has := func(name string) bool {
		for _, h := range fields {
			if strings.EqualFold(h.Name, name) {
				return true
			}
		}
		return false
	}
	head := []byte("POST " + t.Path + " HTTP/1.1\r\n")
	for _, h := range []Header{{"Host", t.Host}, {"Content-Type", "application/json"}, {"X-Openrtb-Version", "2.6"}} {
		if !has(h.Name) {
			head = append(head, h.Name+": "+h.Value+"\r\n"...)
		}
	}
	for _, h := range fields {
		head = append(head, h.Name+": "+h.Value+"\r\n"...)
	}
	return append(head, "Content-Length: "...)
}

// checkHeader refuses header fields that would break the request.
func checkHeader(h Header) error {
	if h.Name == "" {
		return fmt.Errorf("replay: a header field has no name")
	}
	if !guard.IsToken([]byte(h.Name)) {
		return fmt.Errorf("replay: header field %q: this is not a name", h.Name)
	}
	if strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("replay: header field %s: the value has control characters", h.Name)
	}
	switch strings.ToLower(h.Name) {
	case "content-length", "transfer-encoding", "connection", "expect":
		return fmt.Errorf("replay: header field %s is the generator's own", h.Name)
	}
	return nil
}
