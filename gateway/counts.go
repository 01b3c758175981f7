package gateway

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// statusError is the first status that means that the core has failed.
const statusError = 500

// statusNames are the classes of statuses that answers are counted by.
var statusNames = [...]string{"2xx", "3xx", "4xx", "5xx", "other"}

const statusClasses = len(statusNames)

// classOf returns the class of a status, an index of statusNames.
func classOf(status int) int {
	if status < 200 || status > 599 {
		return statusClasses - 1
	}
	return status/100 - 2
}

// bidResult is whether an upstream's answer to a bid request has a bid.
type bidResult int

const (
	bidMade   bidResult = iota
	bidNone             // an empty answer, or one without a bid
	bidUnread           // compressed, or not of status 2xx
	bidResults
)

var bidResultNames = [bidResults]string{"bid", "no_bid", "unread"}

// bidCounts are the counters of an upstream by partner. The map is never changed, but replaced.
type bidCounts struct {
	byPartner atomic.Pointer[map[string]*bidCounters]
}

type bidCounters [bidResults]prometheus.Counter

// of returns the counters of a partner, nil if it has none yet.
func (b *bidCounts) of(partner string) *bidCounters {
	if all := b.byPartner.Load(); all != nil {
		return (*all)[partner]
	}
	return nil
}
