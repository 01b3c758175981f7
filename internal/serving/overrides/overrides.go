// Package overrides keeps what operators change on a running gateway, without its configuration:
// what is blocked, drained and observed, by whom and until when. The entries survive reloads, and
// restarts if there is a file of state.
//
//	overrides.go  Entry: actions, kinds and limits
//	store.go      Store: the entries and their ends
//	set.go        Set: what the entries mean for requests
//	file.go       the file of state
//	metrics.go    how many entries are in effect
package overrides

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/inspect/lists"
)

// Action is what an operator does.
type Action string

// The actions.
const (
	Block   Action = "block"   // refuse requests about a domain, an app or an address
	Drain   Action = "drain"   // send no requests to an upstream, or take none of a partner
	Observe Action = "observe" // refuse no requests of a partner, or none because of a rule
)

// Kind is what an action is about.
type Kind string

// The kinds.
const (
	Domain   Kind = "domain"
	Bundle   Kind = "bundle"
	Address  Kind = "address" // or a prefix
	Partner  Kind = "partner"
	Upstream Kind = "upstream"
	Rule     Kind = "rule" // the id of a reason, such as policy.floor-too-low
)

// kinds are what each action can be about.
var kinds = map[Action][]Kind{
	Block:   {Domain, Bundle, Address},
	Drain:   {Partner, Upstream},
	Observe: {Partner, Rule},
}

// Actions are all actions.
var Actions = []Action{Block, Drain, Observe}

// The limits.
const (
	// EntriesMax is how many entries there are at once.
	EntriesMax = 1000
	// ForDefault is how long an entry is in effect, if the operator says nothing else. ForMin and
	// ForMax are the limits: everything ends by itself.
	ForDefault = time.Hour
	ForMin     = time.Second
	ForMax     = 7 * 24 * time.Hour
	// NameMax and NoteMax are the lengths of names and notes, in bytes.
	NameMax = 1024
	NoteMax = 200
	// Bits4Min and Bits6Min are the lengths of the shortest prefixes that can be blocked.
	Bits4Min = 8
	Bits6Min = 16
)

// Entry is a change of an operator.
type Entry struct {
	Action Action `json:"action"`
	Kind   Kind   `json:"kind"`
	// Name is in the form in which lists compare it.
	Name string `json:"name"`
	// By is the name of the operator's token or certificate.
	By    string    `json:"by"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	Note  string    `json:"note,omitempty"`
}

// same reports whether two entries are about the same.
func (e *Entry) same(other *Entry) bool {
	return e.Action == other.Action && e.Kind == other.Kind && e.Name == other.Name
}

// String returns action, kind and name.
func (e *Entry) String() string { return string(e.Action) + " " + string(e.Kind) + " " + e.Name }

// Why a change is not made.
var (
	// ErrInvalid is a change that nothing could make sense of.
	ErrInvalid = errors.New("invalid")
	// ErrUnknown is a partner, upstream or rule that the gateway does not have.
	ErrUnknown = errors.New("unknown")
	// ErrConflict is a change that the gateway can't make now.
	ErrConflict = errors.New("not possible now")
	// ErrAbsent is a release of what is not in effect.
	ErrAbsent = errors.New("not in effect")
)

// Invalidf returns an error that is [ErrInvalid], with a text that says what.
func Invalidf(format string, args ...any) error {
	return &problem{ErrInvalid, fmt.Sprintf(format, args...)}
}

// problem is an error with the text for operators.
type problem struct {
	is   error
	text string
}

func (p *problem) Error() string { return p.text }
func (p *problem) Unwrap() error { return p.is }

// Unknownf returns an error that is [ErrUnknown].
func Unknownf(format string, args ...any) error {
	return &problem{ErrUnknown, fmt.Sprintf(format, args...)}
}

// Conflictf returns an error that is [ErrConflict].
func Conflictf(format string, args ...any) error {
	return &problem{ErrConflict, fmt.Sprintf(format, args...)}
}

// complete checks what an operator has written, and brings the name into the form that is compared.
func (e *Entry) complete() error {
	allowed := kinds[e.Action]
	switch {
	case allowed == nil:
		return Invalidf("unknown action %q (want block, drain or observe)", shown(string(e.Action)))
	case !slices.Contains(allowed, e.Kind):
		return Invalidf("%s takes %s, found %q", e.Action, either(allowed), shown(string(e.Kind)))
	case e.Name == "":
		return Invalidf("%s %s: no name", e.Action, e.Kind)
	case len(e.Name) > NameMax:
		return Invalidf("%s %s: the name has %d bytes (want at most %d)", e.Action, e.Kind, len(e.Name), NameMax)
	case !plain(e.Name):
		return Invalidf("%s %s: the name has characters that can't be printed", e.Action, e.Kind)
	case len(e.Note) > NoteMax:
		return Invalidf("the note has %d bytes (want at most %d)", len(e.Note), NoteMax)
	case !plain(e.Note):
		return Invalidf("the note has characters that can't be printed")
	}
	if e.Action != Block {
		return nil
	}
	return e.canonical()
}

// listKinds are the kinds of lists that compare what is blocked.
var listKinds = map[Kind]lists.Kind{Domain: lists.Domain, Bundle: lists.Bundle, Address: lists.Prefix}

// canonical brings the name into the form that lists compare.
func (e *Entry) canonical() error {
	name, err := lists.Canonical(listKinds[e.Kind], e.Name)
	if err != nil {
		return Invalidf("%s %s %q: %v", e.Action, e.Kind, shown(e.Name), err)
	}
	switch e.Kind {
	case Domain:
		if !strings.Contains(name, ".") {
			return Invalidf("%s is a top-level domain: blocking it would block all domains in it", name)
		}
	case Address:
		if p, err := netip.ParsePrefix(name); err == nil {
			if least := bitsMin(p.Addr()); p.Bits() < least {
				return Invalidf("the prefix %s is too wide to be blocked (want at least /%d)", name, least)
			}
		}
	}
	e.Name = name
	return nil
}

func bitsMin(a netip.Addr) int {
	if a.Is4() {
		return Bits4Min
	}
	return Bits6Min
}

// plain reports whether a text can be printed in a line.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// shown is the beginning of a text that an operator has written.
func shown(text string) string {
	const most = 64
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}

// either lists kinds: "partner or upstream".
func either(list []Kind) string {
	var words []string
	for _, k := range list {
		words = append(words, string(k))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
