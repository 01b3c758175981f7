package rejects

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
)

// TestRing keeps the latest, newest first, and nothing that is long.
func TestRing(t *testing.T) {
	t.Parallel()
	var r Ring
	if list := r.List(); list == nil || len(list) != 0 {
		t.Errorf("empty: %v", list)
	}
	long := strings.Repeat("\u202e<b>", 10_000)
	body := []byte(`{"id":"` + long + `"}`)
	var findings []inspect.Finding
	for range 2 * FindingsMax {
		findings = append(findings, inspect.Finding{ID: "x.y", Severity: inspect.Refuse, Path: "/ext/" + long, Offset: 6, Message: long})
	}
	findings[1].Offset = -1
	for range RejectsMax + 7 {
		r.Add(Reject{Reason: "x.y", RequestID: long, Full: true}, body, findings)
	}
	list := r.List()
	if len(list) != RejectsMax || list[0].Number != RejectsMax+7 || list[RejectsMax-1].Number != 8 {
		t.Fatalf("%d, from %d to %d", len(list), list[0].Number, list[len(list)-1].Number)
	}
	own := list[0]
	if len(own.Findings) != FindingsMax || own.Bytes != len(body) || len(own.RequestID) > 10*idMax || strings.Contains(own.RequestID, "\u202e") {
		t.Errorf("%d findings, %d bytes, id of %d", len(own.Findings), own.Bytes, len(own.RequestID))
	}
	excerpts := 0
	for i, f := range own.Findings {
		if len(f.Path) > 10*pathMax || len(f.Message) > 10*messageMax || f.Severity != "refuse" {
			t.Errorf("%d: %+v", i, f)
		}
		if f.Excerpt != nil {
			excerpts++
		}
	}
	if excerpts != ExcerptsMax || own.Findings[1].Excerpt != nil {
		t.Errorf("%d excerpts", excerpts)
	}
}

// TestRequestID shows ids that senders choose only if they look like ids.
func TestRequestID(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ id, redacted, full string }{
		{"0af7651916cd43dd8448eb211c80319c", "0af7651916cd43dd8448eb211c80319c", "0af7651916cd43dd8448eb211c80319c"},
		{"me@a.example", gone, "me@a.example"},
		{"<img/src=x/onerror=alert(1)>", gone, "<img/src=x/onerror=alert(1)>"},
		{"", "", ""},
	} {
		for _, full := range []bool{false, true} {
			var r Ring
			r.Add(Reject{RequestID: tt.id, Full: full}, nil, nil)
			if got := r.List()[0].RequestID; got != map[bool]string{false: tt.redacted, true: tt.full}[full] {
				t.Errorf("%q, full %v: %q", tt.id, full, got)
			}
		}
	}
}

// TestRingWants bounds how many are noted in a second, whoever asks.
func TestRingWants(t *testing.T) {
	t.Parallel()
	var r Ring
	now := time.Unix(1_000_000, 0)
	for second := range 3 {
		var wanted, done sync.WaitGroup
		var mu sync.Mutex
		count := 0
		wanted.Add(1)
		for range 8 {
			done.Go(func() {
				wanted.Wait()
				for range 100 {
					if r.Wants(now) {
						mu.Lock()
						count++
						mu.Unlock()
					}
				}
			})
		}
		wanted.Done()
		done.Wait()
		// Two that notice a new second at once can let a few more in.
		if count < RejectsPerSecond || count > 2*RejectsPerSecond {
			t.Errorf("second %d: %d", second, count)
		}
		now = now.Add(time.Second)
	}
}
