package window

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// model counts exactly, slowly, and in memory that grows. It believes every time up to half a
// window ahead, as event time does.
type model struct {
	counting, remembering   int64 // the current slots
	started                 bool
	ifas, addresses, unique map[string][]int64 // slots of requests
}

func newModel() *model {
	return &model{ifas: map[string][]int64{}, addresses: map[string][]int64{}, unique: map[string][]int64{}}
}

// within returns how many slots are in the window.
func within(slots []int64, now, window int64) (n int) {
	for _, s := range slots {
		if s > now-window && s <= now {
			n++
		}
	}
	return n
}

func (m *model) observe(id, ifa, address string, at time.Duration) (a Answers) {
	slot, idSlot := slotAt(at, WindowDefault/countSlots), slotAt(at, IDWindowDefault/idSlots)
	if !m.started {
		m.started, m.counting, m.remembering = true, slot, idSlot
	}
	m.counting, m.remembering = max(m.counting, slot), max(m.remembering, idSlot)
	if id != "" && idSlot > m.remembering-idSlots {
		a.Seen = within(m.unique[id], m.remembering, idSlots) > 0
		m.unique[id] = append(m.unique[id], idSlot)
	}
	count := func(counts map[string][]int64, key string) int {
		if key == "" || slot <= m.counting-countSlots {
			return 0
		}
		counts[key] = append(counts[key], slot)
		return within(counts[key], m.counting, countSlots)
	}
	a.Counts = rule.Counts{IFA: count(m.ifas, ifa), Address: count(m.addresses, address)}
	return a
}

// compare reads requests from random numbers: what each is about, and how far its time is from the
// newest, which is not ahead by more than a slot. Windows and model must give the same answers.
func compare(t *testing.T, w *Windows, next func() (uint64, bool)) {
	t.Helper()
	m := newModel()
	at := 1000 * time.Hour
	newest := at
	for n := 0; ; n++ {
		random, more := next()
		if !more {
			return
		}
		pick := func(values int) int {
			v := int(random % uint64(values))
			random /= uint64(values)
			return v
		}
		text := func(format string, values int) string {
			v := pick(values + 1)
			if v == values {
				return ""
			}
			return fmt.Sprintf(format, v)
		}
		id, ifa, address := text("%d", 300), text("ifa-%d", 20), text("198.51.100.%d", 20)
		scale := []time.Duration{0, time.Millisecond, time.Second, WindowDefault / countSlots}[pick(4)]
		if n > 0 {
			at = newest + scale*time.Duration(pick(33)-16)/16
		}
		if pick(50) == 0 && n > 0 {
			at -= []time.Duration{WindowDefault / 2, WindowDefault, IDWindowDefault, 2 * IDWindowDefault}[pick(4)]
		}
		newest = max(newest, at)
		want := m.observe(id, ifa, address, at)
		got := w.Observe("", request(id, ifa, address), time.Unix(0, 0).Add(at), Delivery{})
		if got != want {
			t.Fatalf("request %d, id %q, ifa %q, address %q at %v (newest %v): %+v, want %+v", n, id, ifa, address, at, newest, got, want)
		}
	}
}

// modelOptions are tables in which keys share buckets, and none is forgotten.
var modelOptions = Options{EventTime: true, Shared: Limits{IFAs: 100, Addresses: 100, IDs: 1000}}

// TestModel compares with exact counts, of times in and out of order.
func TestModel(t *testing.T) {
	random := testkit.Rand(testkit.Seed(t))
	for range testkit.Scale(t, 2, 10, 200) {
		left := 3000
		compare(t, open(t, modelOptions), func() (uint64, bool) {
			left--
			return random.Uint64(), left > 0
		})
	}
}

func FuzzModel(f *testing.F) {
	random := testkit.Rand(1)
	for _, requests := range []int{1, 30, 500} {
		var in []byte
		for range requests {
			in = binary.LittleEndian.AppendUint64(in, random.Uint64())
		}
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		compare(t, open(t, modelOptions), func() (uint64, bool) {
			if len(in) < 8 {
				return 0, false
			}
			n := binary.LittleEndian.Uint64(in)
			in = in[8:]
			return n, true
		})
	})
}

// FuzzIFA compares identifiers as Go's functions do.
func FuzzIFA(f *testing.F) {
	f.Add(someIFA, "6D92078A-8246-4ba4-ae5b-76104861e7dc")
	f.Add("00-00", "")
	f.Add("{ab-c }", "\u00a0aB-C")
	f.Add("{}", "{")
	f.Add("Z[`a{@", "z[`A{@")
	w := open(f, Options{})
	f.Fuzz(func(t *testing.T, a, b string) {
		hashA, okA := w.hashIFA(a)
		hashB, okB := w.hashIFA(b)
		plain := func(s string) string {
			s = strings.TrimFunc(s, blank.IsSpace)
			if inside, ok := strings.CutPrefix(s, "{"); ok && strings.HasSuffix(inside, "}") {
				return strings.TrimFunc(strings.TrimSuffix(inside, "}"), blank.IsSpace)
			}
			return s
		}
		lower := func(s string) string {
			b := []byte(strings.ReplaceAll(plain(s), "-", ""))
			for i, c := range b {
				if 'A' <= c && c <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
		counted := func(s string) bool {
			s = plain(s)
			return strings.Trim(s, "0-") != "" && len(s) <= IFALen
		}
		if okA != counted(a) || okB != counted(b) {
			t.Errorf("%q counts: %v, %q: %v", a, okA, b, okB)
		}
		if same := lower(a) == lower(b); okA && okB && same != (hashA == hashB) {
			t.Errorf("%q and %q: same hash: %v, want %v", a, b, hashA == hashB, same)
		}
	})
}
