package gateway

import (
	"fmt"
	"math"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/openrtb"
)

// routing says which upstreams a request can go to.
type routing struct {
	main     *balance.Group
	canaries []sampledGroup
	canary   float64 // the shares of all canaries
	mirrors  []mirror
}

// sampledGroup is a group of one upstream with its share of the requests.
type sampledGroup struct {
	*balance.Group
	share float64
}

// mirror is an upstream that gets copies.
type mirror struct {
	sampledGroup
	stats *balance.Stats
}

// newRouting compiles what options say about the upstreams of a set.
func newRouting(o *Options, set *balance.Set) (r routing, err error) {
	var names []string
	for i := range o.Upstreams {
		u := &o.Upstreams[i]
		switch {
		case u.Canary > 0:
			g, err := set.Canary(u.Name)
			if err != nil {
				return r, err
			}
			r.canaries = append(r.canaries, sampledGroup{g, u.Canary})
			r.canary += u.Canary
		case u.Mirror > 0:
			g, err := set.Group(u.Name)
			if err != nil {
				return r, err
			}
			r.mirrors = append(r.mirrors, mirror{sampledGroup{g, u.Mirror}, set.Upstream(u.Name).Stats})
		case !u.Routed:
			names = append(names, u.Name)
		}
	}
	r.main, err = set.Group(names...)
	return r, err
}

// groupOf returns the group of upstreams that somebody's requests are routed to; nil if they go
// where all do.
func (o *Options) groupOf(set *balance.Set, names []string) (*balance.Group, error) {
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	for i := range o.Upstreams {
		if u := &o.Upstreams[i]; u.Mirror > 0 {
			for _, name := range names {
				if name == u.Name {
					return nil, fmt.Errorf("the upstream %s is a mirror, whose answers are ignored", name)
				}
			}
		}
	}
	return set.Group(names...)
}

// destination is where a request goes: to a group, or, if none of its addresses is left, to another
// one.
type destination struct{ first, otherwise *balance.Group }

// samples reports whether the place of a request in the sample matters.
func (r *routing) samples() bool { return len(r.canaries)+len(r.mirrors) > 0 }

// route chooses upstreams for a request. The bid request is nil if it was not decoded; the sample
// is its place in the sample.
func (r *routing) route(own *partner, bid *openrtb.BidRequest, sample float64) destination {
	if own != nil {
		if bid != nil && len(own.publisherGroups) > 0 {
			if g := own.publisherGroups[inspect.PublisherOf(bid)]; g != nil {
				return destination{g, nil}
			}
		}
		if own.group != nil {
			return destination{own.group, nil}
		}
	}
	if bid == nil || len(r.canaries) == 0 {
		return destination{r.main, nil}
	}
	total := r.canary
	if own != nil && own.Canary != nil {
		total = *own.Canary
	}
	// The canaries share what is theirs in proportion to their own shares.
	at := resampled(sample, canarySalt)
	if at >= total {
		return destination{r.main, nil}
	}
	at *= r.canary / total
	for _, c := range r.canaries {
		if at < c.share {
			return destination{c.Group, r.main}
		}
		at -= c.share
	}
	return destination{r.canaries[len(r.canaries)-1].Group, r.main} // what rounding has left
}

// The salts of samples: layers and responses take the upper bits of the hash, canaries and mirrors
// others, so that those who are in one sample are in the others as often as anybody.
const (
	canarySalt = 1 << 16
	mirrorSalt = 1 << 32
)

// resampled is the place of a request in another sample, which has nothing to do with the first
// one. All gateways find the same.
func resampled(sample float64, salt float64) float64 {
	_, fraction := math.Modf(sample * salt)
	return fraction
}
