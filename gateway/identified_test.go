package gateway

import (
	"bytes"
	"net/http"
	"testing"
)

// TestIdentified holds what docs/gateway.md says about the headers of answers to bid requests:
// what is refused by its head, or before it is read, has none.
func TestIdentified(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		g := serve(Options{Upstreams: At(up.URL), BodyMax: 8 << 10, RatioMax: 100_000})
		long := bytes.Repeat([]byte(" "), 9<<10)
		for _, tt := range []struct {
			path   string
			body   []byte
			header []string
			status int
			has    bool
		}{
			{PathDefault, good(t), nil, http.StatusOK, true},
			{PathDefault, []byte("{"), nil, http.StatusBadRequest, true},
			{PathDefault, zipped(t, long), []string{"Content-Encoding", "gzip"}, http.StatusRequestEntityTooLarge, true},
			{PathDefault, long, nil, http.StatusRequestEntityTooLarge, false},
			{PathDefault, good(t), []string{"Content-Type", "text/plain"}, http.StatusUnsupportedMediaType, false},
			{PathDefault, good(t), []string{headerVersion, "3.0"}, http.StatusBadRequest, false},
			{"/other", good(t), nil, http.StatusNotFound, false},
		} {
			r := g.post(t, tt.path, tt.body, tt.header...)
			if r.status != tt.status {
				t.Errorf("%s %v: %d, want %d", tt.path, tt.header, r.status, tt.status)
			}
			for _, name := range []string{headerVersion, headerRequestID} {
				if got := r.header.Get(name); (got != "") != tt.has {
					t.Errorf("%d: %s is %q", r.status, name, got)
				}
			}
		}
	})
}
