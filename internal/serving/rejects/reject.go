package rejects

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
)

// The ring of the last refused requests.
const (
	// RejectsMax is how many are kept.
	RejectsMax = 100
	// RejectsPerSecond is how many are noted in a second, so that a flood of refusals costs
	// nothing.
	RejectsPerSecond = 20
	// FindingsMax is how many findings of each are kept.
	FindingsMax = 10
	// ExcerptsMax is how many of these have an excerpt of the document.
	ExcerptsMax = 3
)

// Reject is a refused request. Its strings are bounded, and safe to print: what is not printable
// is escaped.
type Reject struct {
	// Number counts those that were noted since the start.
	Number int       `json:"number"`
	Time   time.Time `json:"time"`
	// Partner is "" for other senders.
	Partner string `json:"partner,omitempty"`
	// RequestID is the header X-Request-Id, which the gateway has made if there was none. A
	// redacted one has letters, digits and punctuation of identifiers only, or is "…".
	RequestID string `json:"request_id,omitempty"`
	// Source is where the record of a stream was read: "bids/3, offset 1200".
	Source string `json:"source,omitempty"`
	Reason string `json:"reason"`
	NBR    int    `json:"nbr"`
	Score  int    `json:"score"`
	Bytes  int    `json:"bytes"`
	// Observed reports that the request was forwarded all the same: refusals are only observed.
	Observed bool `json:"observed,omitempty"`
	// Full reports whether paths and excerpts are as they were sent, not redacted.
	Full     bool      `json:"full"`
	Findings []Finding `json:"findings"`
}

// Finding is a place that was objected to.
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	// Path is a JSON Pointer. In a redacted one, names that the specification does not have are
	// replaced by "…".
	Path string `json:"path"`
	// Offset is in bytes; -1 if there is no place.
	Offset  int    `json:"offset"`
	Message string `json:"message"`
	// Excerpt is the text around the offset; nil for findings without a place.
	Excerpt *Excerpt `json:"excerpt,omitempty"`
}

// Ring keeps the last refused requests, a sample when there are many. The zero Ring is empty.
type Ring struct {
	second atomic.Int64 // of which count is
	count  atomic.Int64

	mu   sync.Mutex
	ring [RejectsMax]Reject
	next int // all that were noted
}

// Wants reports whether a request that is refused at a time should be added, and counts it.
func (r *Ring) Wants(now time.Time) bool {
	second := now.Unix()
	if old := r.second.Load(); old != second && r.second.CompareAndSwap(old, second) {
		r.count.Store(0)
	}
	return r.count.Load() < RejectsPerSecond && r.count.Add(1) <= RejectsPerSecond
}

// Add notes a refused request with the findings about it. Nothing of the body or the findings is
// kept but bounded copies.
func (r *Ring) Add(own Reject, body []byte, findings []inspect.Finding) {
	if own.RequestID = visible(own.RequestID, idMax); !own.Full && own.RequestID != "" && !plainID(own.RequestID) {
		own.RequestID = gone // the sender chooses it
	}
	own.Source = visible(own.Source, pathMax) // files have names, too
	own.Bytes, own.Findings = len(body), []Finding{}
	excerpts := 0
	for i := range findings[:min(len(findings), FindingsMax)] {
		f := &findings[i]
		out := Finding{ID: f.ID, Severity: f.Severity.String(), Path: pathOf(f.Path, own.Full), Offset: f.Offset, Message: visible(f.Message, messageMax)}
		if f.Offset >= 0 && f.Offset <= len(body) && excerpts < ExcerptsMax {
			excerpts++
			e := ExcerptOf(body, f.Offset, own.Full)
			out.Excerpt = &e
		}
		own.Findings = append(own.Findings, out)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	own.Number = r.next + 1
	r.ring[r.next%RejectsMax] = own
	r.next++
}

// List returns what is kept, the latest first.
func (r *Ring) List() []Reject {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Reject, 0, min(r.next, RejectsMax))
	for i := r.next - 1; i >= max(0, r.next-RejectsMax); i-- {
		list = append(list, r.ring[i%RejectsMax])
	}
	return list
}
