package gateway

import (
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// namedHeaders are the headers that decide something: those that conditions can read, that partners
// are known by, and Authorization where a partner has a token. The gateway reads the first copy of
// a header, and the upstream gets all of them. CGI and similar interfaces read X_Region as
// X-Region. So a sender could show the gateway one value and the upstream another.
type namedHeaders []string

// newNamedHeaders returns the headers that options name.
func newNamedHeaders(o *Options) (list namedHeaders) {
	add := func(name string) {
		if !list.has([]byte(name)) {
			list = append(list, name)
		}
	}
	for _, name := range o.FactHeaders {
		add(name)
	}
	for i := range o.Partners {
		m := &o.Partners[i].Match
		for _, h := range m.Headers {
			add(h.Name)
		}
		if m.Token != "" {
			add(fasthttp.HeaderAuthorization)
		}
	}
	return list
}

// has reports whether a header is one of them, in any case.
func (l namedHeaders) has(name []byte) bool {
	for _, own := range l {
		if strings.EqualFold(own, mem.String(name)) {
			return true
		}
	}
	return false
}

// check returns the reason that refuses a head whose headers could be read in two ways, or "".
func (l namedHeaders) check(h *fasthttp.RequestHeader) (reason string) {
	if len(l) == 0 {
		return ""
	}
	for _, own := range l {
		if len(h.PeekAll(own)) > 1 {
			return reasonTwice
		}
	}
	for name := range h.All() {
		if l.misspelt(name) {
			return reasonUnderscore
		}
	}
	return ""
}

// misspelt reports whether a name differs from one of the list in underscores for hyphens, or the
// other way round, and is not in the list itself.
func (l namedHeaders) misspelt(name []byte) bool {
	for _, own := range l {
		if len(own) == len(name) && alikeButDashes(own, name) {
			return !l.has(name)
		}
	}
	return false
}

// alikeButDashes compares names of the same length. Letter case does not count, and underscores are
// hyphens.
func alikeButDashes(a string, b []byte) bool {
	for i, c := range b {
		if foldDash(a[i]) != foldDash(c) {
			return false
		}
	}
	return true
}

func foldDash(c byte) byte {
	switch {
	case c == '_':
		return '-'
	case 'A' <= c && c <= 'Z':
		return c | 0x20
	}
	return c
}
