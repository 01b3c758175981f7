package gateway

import (
	"testing"

	"github.com/valyala/fasthttp"
)

// TestTarget takes targets apart as fasthttp does.
func TestTarget(t *testing.T) {
	for _, target := range []string{
		"/", "/openrtb2/auction", "/a?b=c", "/a?", "/a?b?c", "/?/", "/a%20b%2f?x=%20", "/a//b/../c", "//host/path?q", "/a#b?c", "/a?b#c",
		"http://host.example/a?b", "*", "/\xc3\xa4?\xc3",
	} {
		var r, own fasthttp.Request
		for _, each := range []*fasthttp.Request{&r, &own} {
			each.Header.SetMethod("POST")
			each.Header.SetHost("gateway.example")
			each.Header.SetRequestURI(target)
		}
		var d head
		d.readTarget(&own)
		if path, query := r.URI().PathOriginal(), r.URI().QueryString(); string(d.path) != string(path) || string(d.query) != string(query) {
			t.Errorf("%s: %q and %q, want %q and %q", target, d.path, d.query, path, query)
		}
	}
}
