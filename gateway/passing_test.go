package gateway

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestTokensStay has tokens of partners in requests that are another partner's, or no partner's: no
// core gets them. What else is in Authorization passes.
func TestTokensStay(t *testing.T) {
	up := newCore(t, nil)
	g := start(t, Options{Upstreams: At(up.URL), Partners: []Partner{
		{Name: "by-token", Match: Match{Path: "/t", Token: "secret"}}, {Name: "by-path", Match: Match{Path: "/p"}},
	}})
	for _, tt := range []struct {
		path, sent string
		passes     bool
	}{
		{"/t", "Bearer secret", false}, {"/p", "Bearer secret", false}, {PathDefault, "bearer secret", false},
		{"/p", "Bearer other", true}, {PathDefault, "Basic c2VjcmV0", true},
	} {
		r := g.post(t, tt.path, good(t), "Authorization", tt.sent)
		got := up.take()
		if r.status != 200 || len(got) != 1 || (got[0].header.Get("Authorization") == tt.sent) != tt.passes {
			t.Errorf("%s with %s: %d, the core got %v", tt.path, tt.sent, r.status, got[0].header)
		}
	}
}

// TestResponsesHeader tells the core that its answer is judged, whatever fields the request has.
func TestResponsesHeader(t *testing.T) {
	up := newCore(t, nil)
	g := start(t, Options{Upstreams: At(up.URL), Responses: Responses{Mode: ResponsesEnforce}})
	for _, fields := range [][]string{{}, {"X-Forwarded-For", "192.0.2.1"}, {"Connection", "keep-alive"}, {"X-Rtbwire-Responses", "off"}} {
		g.post(t, PathDefault, good(t), fields...)
		if got := up.take(); len(got) != 1 || strings.Join(got[0].header.Values(headerResponses), "|") != "enforce" {
			t.Errorf("%v: the core got %v", fields, got[0].header)
		}
	}
}

// TestCompressedHeaders drops what the upstream says about the bytes that it sent, and leaves an
// answer alone that must not be changed.
func TestCompressedHeaders(t *testing.T) {
	body := `{"id":"r","ext":"` + strings.Repeat("abc", 1000) + `"}`
	control := ""
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		h := w.Header()
		h.Set("Etag", `"1"`)
		h.Set("Content-Md5", "x")
		h.Set("Content-Digest", "sha-256=:x:")
		h.Set("Cache-Control", control)
		io.WriteString(w, body)
	})
	g := start(t, Options{Upstreams: At(up.URL), CompressMin: CompressMinDefault, Responses: Responses{Mode: ResponsesOff}})
	for _, tt := range []struct {
		control    string
		compressed bool
	}{{"max-age=0", true}, {"private, No-Transform", false}} {
		control = tt.control
		r := g.post(t, PathDefault, good(t), "Accept-Encoding", "gzip")
		got := r.body
		if tt.compressed {
			z, err := gzip.NewReader(bytes.NewReader([]byte(got)))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			got = string(plain)
		}
		if got != body || (r.header.Get("Content-Encoding") == "gzip") != tt.compressed {
			t.Errorf("%s: %d bytes, %v", tt.control, len(r.body), r.header)
		}
		for _, name := range []string{"Etag", "Content-Md5", "Content-Digest"} {
			if (r.header.Get(name) == "") != tt.compressed {
				t.Errorf("%s: %s is %q", tt.control, name, r.header.Get(name))
			}
		}
	}
}

// TestSeveralCodings has upstreams name the codings of their answers in several fields. The sender
// learns all of them. Where responses are enforced, an answer with more than one becomes a no-bid.
func TestSeveralCodings(t *testing.T) {
	eachPlane(t, testSeveralCodings)
}

func testSeveralCodings(t *testing.T, serve func(Options) *started) {
	answer := zipped(t, zipped(t, []byte(answered)))
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		w.Header()["Content-Encoding"] = strings.Split(r.Header.Get("X-Fields"), "|")
		w.Write(answer)
	})
	for _, mode := range []ResponseMode{ResponsesOff, ResponsesObserve, ResponsesEnforce} {
		g := serve(Options{
			Upstreams: At(up.URL), CompressMin: 1, Responses: Responses{Mode: mode, Sample: 1},
			Passthrough: []Passthrough{{Path: "/pass", Method: http.MethodPost}},
		})
		for fields, want := range map[string]string{
			"gzip|gzip": "gzip, gzip", "br|gzip": "br, gzip", "gzip|identity": "gzip, identity", "gzip|": "gzip", "a, b|c": "a, b, c",
		} {
			for _, path := range []string{PathDefault, "/pass"} {
				r := g.post(t, path, good(t), "X-Fields", fields, "Accept-Encoding", "gzip")
				if mode == ResponsesEnforce && path == PathDefault {
					if r.status != 204 || r.header.Get("Content-Encoding") != "" {
						t.Errorf("%s %s, %s: %d %v, want no bid", mode, path, fields, r.status, r.header)
					}
					continue
				}
				if got := strings.Join(r.header.Values("Content-Encoding"), ", "); r.status != 200 || got != want || r.body != string(answer) {
					t.Errorf("%s %s, %s: %d %q, the same body: %v, want %q", mode, path, fields, r.status, got, r.body == string(answer), want)
				}
			}
		}
	}
}

// TestEmptyQuery keeps a question mark with nothing after it: to some that is another address.
func TestEmptyQuery(t *testing.T) {
	up := newCore(t, nil)
	g := start(t, Options{Upstreams: At(up.URL), Passthrough: []Passthrough{{Path: "/win"}}})
	for _, target := range []string{"/win", "/win?", "/win?a"} {
		g.raw(t, "GET "+target+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if got := up.take(); len(got) != 1 || got[0].uri != target {
			t.Errorf("%s: the core got %+v", target, got)
		}
	}
}

// TestNoWaitForMemory does not wait where waiting would not help.
func TestNoWaitForMemory(t *testing.T) {
	var a byteBudget
	a.init(10)
	if !a.acquire(10, 0) || a.acquire(1, 0) {
		t.Error("memory that there is not was given")
	}
	a.release(10)
	if !a.acquire(1, 0) {
		t.Error("memory that there is was not given")
	}
}
