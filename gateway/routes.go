package gateway

import (
	"errors"
	"fmt"
	"strings"
)

// route is what a request is for.
type route int

const (
	routeNone        route = iota // unknown
	routeAuction                  // a bid request
	routePassthrough              // passes unread
	routeStatus                   // for load balancers
)

// statusPath is where load balancers ask on the data port.
const statusPath = "/status"

// Passthrough is a route whose requests pass unread: notices of wins and losses, cookie syncs.
// Framing and limits still apply, with those of a partner whose [Match] has no path.
type Passthrough struct {
	Path   string
	Method string // GET, HEAD or POST; default: GET. A path can have several routes.
}

// addRoutes fills in the paths.
func (p *plan) addRoutes() error {
	p.routes, p.methods = map[string]route{}, map[string]string{}
	add := func(path string, r route, method string) error {
		if path == "" || path[0] != '/' {
			return fmt.Errorf("gateway: the path %q does not begin with /", path)
		}
		switch old := p.routes[path]; {
		case old == routePassthrough && r == routePassthrough && !listed(p.methods[path], []byte(method)):
			method = p.methods[path] + ", " + method
		case old != routeNone && (old != r || r == routePassthrough):
			return fmt.Errorf("gateway: the path %s is taken", path)
		}
		p.routes[path], p.methods[path] = r, method
		return nil
	}
	err := errors.Join(add(statusPath, routeStatus, "GET, HEAD"), add(p.options.Path, routeAuction, "POST"))
	for _, own := range p.partners {
		if own.Match.Path != "" {
			err = errors.Join(err, add(own.Match.Path, routeAuction, "POST"))
		}
	}
	for _, t := range p.options.Passthrough {
		method := t.Method
		if method == "" {
			method = "GET"
		}
		err = errors.Join(err, add(t.Path, routePassthrough, method))
	}
	return err
}

// listed reports whether a method is in a list such as "GET, HEAD".
func listed(methods string, method []byte) bool {
	for m := range strings.SplitSeq(methods, ", ") {
		if m == string(method) {
			return true
		}
	}
	return false
}
