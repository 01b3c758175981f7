//go:build unix

package kafka

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

// stage is what a test needs of a cluster: a topic that the program reads, a group, and topics for
// what comes of it.
type stage struct {
	*kafkatest.Cluster
	source, group, accepted, dead string
	partitions                    int
	began                         time.Time // when the topics were made, in milliseconds

	// expect says what must become of a record. By default that is the verdict of an engine
	// without a configuration.
	expect func(r *kgo.Record) expectation
	// make makes record n. Default: record.
	make func(n int) *kgo.Record

	unsure atomic.Bool // not all offsets are known, because records are being sent

	mu    sync.Mutex
	sent  []map[int64]int // by partition: numbers of records by offset
	ends  map[int32]int64 // by partition: the offset after the last record
	total int             // how many different records there are, if settled has counted them
}

// newStage makes the topics. Settings are for the topics, in pairs.
func newStage(t *testing.T, c *kafkatest.Cluster, partitions int, settings ...string) *stage {
	t.Helper()
	name := strings.NewReplacer("/", "-", "=", "-", ",", "-").Replace(t.Name())
	s := &stage{
		Cluster: c, source: name + ".bids", group: name + ".edge", accepted: name + ".ok", dead: name + ".dead",
		partitions: partitions, began: time.Now().Truncate(time.Millisecond), sent: make([]map[int64]int, partitions), ends: map[int32]int64{},
	}
	engine, err := inspect.New(inspect.Config{})
	if err != nil {
		t.Fatal(err)
	}
	worker := engine.NewWorker()
	s.expect = func(r *kgo.Record) expectation { return judge(worker, r) }
	s.make = func(n int) *kgo.Record { return record(s.source, n, s.partitions) }
	for p := range s.sent {
		s.sent[p] = map[int64]int{}
	}
	for _, topic := range []string{s.source, s.accepted, s.dead} {
		c.NewTopic(t, topic, partitions, settings...)
	}
	return s
}

// args are the arguments of "rtbwire stream" for the stage, without a destination. The group does
// not wait long for a member that was killed.
func (s *stage) args(more ...string) []string {
	if !slices.Contains(more, "--brokers") {
		more = append([]string{"--brokers", strings.Join(s.Seeds(), ",")}, more...)
	}
	return append([]string{
		"stream", "--topic", s.source, "--group", s.group, "--dead-letters", s.dead, "--admin", "127.0.0.1:0", "--session-timeout", "6s",
	}, more...)
}

// begin starts the program without waiting for it; accepted records go to a topic.
func (s *stage) begin(t *testing.T, more ...string) *process {
	t.Helper()
	return start(t, s.args(append([]string{"--accepted", s.accepted}, more...)...)...)
}

// run starts the program, and waits until it is a member of its group.
func (s *stage) run(t *testing.T, more ...string) *process {
	t.Helper()
	p := s.begin(t, more...)
	p.consumes(t)
	return p
}

// note remembers the offset of a record that was sent.
func (s *stage) note(r *kgo.Record, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[r.Partition][r.Offset] = n
	s.ends[r.Partition] = max(s.ends[r.Partition], r.Offset+1)
}

// settled reads the offsets of all records from the source, for tests whose brokers fail while
// records are sent: their answers get lost, and a record can be there twice. It returns how many
// are.
func (s *stage) settled(t *testing.T) (twice int) {
	t.Helper()
	records := s.Read(t, s.source)
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.sent {
		s.sent[p] = map[int64]int{}
	}
	seen := map[int]bool{}
	for _, r := range records {
		n, problem := s.identify(r)
		if problem != "" {
			t.Fatal(problem)
		}
		if seen[n] {
			twice++
		}
		seen[n] = true
		s.sent[r.Partition][r.Offset] = n
		s.ends[r.Partition] = max(s.ends[r.Partition], r.Offset+1)
	}
	s.total = len(seen)
	t.Logf("%d records in the source, %d of them twice", len(seen), twice)
	return twice
}

// count is the number of records that are in the source.
func (s *stage) count() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total > 0 {
		return s.total
	}
	for _, offsets := range s.sent {
		n += len(offsets)
	}
	return n
}

// below returns the numbers of the records that a group has committed.
func (s *stage) below(committed kafkatest.Positions) (list []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for partition, at := range committed[s.source] {
		for offset, n := range s.sent[partition] {
			if offset < at {
				list = append(list, n)
			}
		}
	}
	return list
}

// done waits until the group has committed all that was sent.
func (s *stage) done(t *testing.T, running ...*process) {
	t.Helper()
	waitFor(t, "the group to commit everything", func() bool {
		for _, p := range running {
			p.running(t)
		}
		committed := s.Committed(t, s.group)[s.source]
		s.mu.Lock()
		defer s.mu.Unlock()
		for partition, end := range s.ends {
			if committed[partition] < end {
				return false
			}
		}
		return true
	})
}

// arrivals is what has come of the records, by number.
type arrivals struct {
	accepted, dead map[int]int // how often
	reasons        map[string]int
	order          []string // faults of the order
}

func (a *arrivals) times(n int) int { return a.accepted[n] + a.dead[n] }

// different is how many different records arrived.
func (a *arrivals) different() int {
	n := len(a.accepted)
	for number := range a.dead {
		if a.accepted[number] == 0 {
			n++
		}
	}
	return n
}

// duplicates is how many records arrived that had arrived before.
func (a *arrivals) duplicates() int {
	sum := -a.different()
	for _, m := range []map[int]int{a.accepted, a.dead} {
		for _, times := range m {
			sum += times
		}
	}
	return sum
}

// arrived reads what has arrived, and checks each record.
func (s *stage) arrived(t *testing.T) *arrivals {
	t.Helper()
	a := &arrivals{accepted: map[int]int{}, dead: map[int]int{}, reasons: map[string]int{}}
	type way struct {
		topic    string
		from, to int32
	}
	last := map[way]int{} // the highest number on a way from a partition to another
	problems := 0
	for _, r := range s.Read(t, s.accepted, s.dead) {
		n, problem := s.identify(r)
		var want *kgo.Record
		if problem == "" {
			want = s.make(n)
			problem = s.compare(r, want, n)
		}
		if problem != "" {
			if problems++; problems <= 10 {
				t.Errorf("%s/%d/%d: %s", r.Topic, r.Partition, r.Offset, problem)
			}
			continue
		}
		first := a.times(n) == 0
		if r.Topic == s.accepted {
			a.accepted[n]++
		} else {
			a.dead[n]++
			reason, _ := kafkatest.Header(r, "rtbwire-reason")
			a.reasons[string(reason)]++
		}
		// Records that arrive for the first time do so in their order, whatever came twice before.
		w := way{r.Topic, want.Partition, r.Partition}
		if first && r.Topic == s.accepted {
			if before, ok := last[w]; ok && before > n {
				a.order = append(a.order, fmt.Sprintf("%s: record %d came after %d", w.topic, n, before))
			}
			last[w] = n
		}
	}
	if problems > 10 {
		t.Errorf("and %d more problems", problems-10)
	}
	return a
}

// identify returns the number of a record.
func (s *stage) identify(r *kgo.Record) (n int, problem string) {
	header, _ := kafkatest.Header(r, "n")
	n, err := strconv.Atoi(string(header))
	if err != nil {
		return 0, "it has no number"
	}
	return n, ""
}

// compare says what is wrong with a record that has arrived.
func (s *stage) compare(got, sent *kgo.Record, n int) (problem string) {
	e := s.expect(sent)
	isDead := got.Topic == s.dead
	switch {
	case isDead != (e.reason != ""):
		return fmt.Sprintf("record %d is in the wrong topic; its verdict is %q", n, e.reason)
	case !same(got.Key, sent.Key):
		return fmt.Sprintf("record %d: key %#v, sent %#v", n, got.Key, sent.Key)
	case e.late && (got.Timestamp.Before(s.began) || got.Timestamp.After(time.Now())):
		return fmt.Sprintf("record %d: timestamp %v, which is not that of its writing", n, got.Timestamp)
	case !e.late && !got.Timestamp.Equal(sent.Timestamp):
		return fmt.Sprintf("record %d: timestamp %v, sent %v", n, got.Timestamp, sent.Timestamp)
	case !same(got.Value, e.value):
		return fmt.Sprintf("record %d: value has %d bytes (nil: %v) and differs from the %d bytes (nil: %v) that were sent", n, len(got.Value), got.Value == nil, len(e.value), e.value == nil)
	}
	headers := got.Headers
	if len(headers) < len(sent.Headers) {
		return fmt.Sprintf("record %d: headers %v, sent %v", n, headers, sent.Headers)
	}
	for i, h := range sent.Headers {
		name := h.Key
		if name == "rtbwire-reason" {
			name = "sender-rtbwire-reason"
		}
		if headers[i].Key != name || !same(headers[i].Value, h.Value) {
			return fmt.Sprintf("record %d: header %d is %q %#v, sent %q %#v", n, i, headers[i].Key, headers[i].Value, h.Key, h.Value)
		}
	}
	headers = headers[len(sent.Headers):]
	if e.late {
		want := kgo.RecordHeader{Key: "rtbwire-original-time", Value: strconv.AppendInt(nil, sent.Timestamp.UnixMilli(), 10)}
		last := len(headers) - 1
		if last < 0 || headers[last].Key != want.Key || !same(headers[last].Value, want.Value) {
			return fmt.Sprintf("record %d: the last header is not %v: %v", n, want, headers)
		}
		headers = headers[:last]
	}
	if !isDead {
		if len(headers) > 0 {
			return fmt.Sprintf("record %d: headers were added: %v", n, headers)
		}
		return ""
	}
	return s.compareVerdict(headers, sent, e, n)
}

// compareVerdict says what is wrong with the headers that a dead letter has besides its own.
func (s *stage) compareVerdict(headers []kgo.RecordHeader, sent *kgo.Record, e expectation, n int) string {
	names := append([]string{"rtbwire-reason", "rtbwire-nbr", "rtbwire-path", "rtbwire-offset", "rtbwire-source"}, e.headers...)
	values := map[string]string{}
	var got []string
	for _, h := range headers {
		got = append(got, h.Key)
		values[h.Key] = string(h.Value)
	}
	if !slices.Equal(got, names) {
		return fmt.Sprintf("record %d: a dead letter's headers are %v, want %v", n, got, names)
	}
	for name, want := range map[string]string{
		"rtbwire-reason": e.reason, "rtbwire-nbr": strconv.Itoa(e.nbr), "rtbwire-path": e.path, "rtbwire-offset": strconv.Itoa(e.offset),
	} {
		if values[name] != want {
			return fmt.Sprintf("record %d: %s is %q, want %q", n, name, values[name], want)
		}
	}
	var partition int32
	var offset int64
	at, ok := strings.CutPrefix(values["rtbwire-source"], s.source+"/")
	if _, err := fmt.Sscanf(at, "%d/%d", &partition, &offset); err != nil || !ok {
		return fmt.Sprintf("record %d: rtbwire-source is %q", n, values["rtbwire-source"])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, ok := s.sent[partition][offset]; (was != n || !ok) && !s.unsure.Load() {
		return fmt.Sprintf("record %d: rtbwire-source is %q, which is record %d (known: %v)", n, values["rtbwire-source"], was, ok)
	}
	return ""
}

// same reports whether two values are equal; nil is not the same as empty.
func same(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

// account checks that each of the records that were sent has arrived, at most duplicates of them
// more than once, and in order. It prints what it counted.
func (s *stage) account(t *testing.T, duplicates int) *arrivals {
	t.Helper()
	a := s.arrived(t)
	n := s.count()
	var lost []int
	for i := range n {
		if a.times(i) == 0 {
			lost = append(lost, i)
		}
	}
	twice := a.duplicates()
	t.Logf("%d records sent; %d accepted, %d dead letters, %d lost, %d duplicates; dead letters by reason: %v",
		n, len(a.accepted), len(a.dead), len(lost), twice, sorted(a.reasons))
	if len(lost) > 0 {
		t.Errorf("%d records were lost: %v", len(lost), lost[:min(len(lost), 20)])
		s.history(t, s.accepted, s.make(lost[0]).Partition)
	}
	if twice > duplicates {
		t.Errorf("%d duplicates, want at most %d", twice, duplicates)
	}
	if len(a.order) > 0 {
		t.Errorf("%d records are out of order: %v", len(a.order), a.order[:min(len(a.order), 5)])
	}
	if extra := len(a.accepted) + len(a.dead) - (n - len(lost)); extra > 0 {
		t.Errorf("%d records arrived that were not sent, or are in both topics", extra)
	}
	return a
}

// ahead checks that everything is there that the group has committed, and returns how many
// records are there that it has not: those are read again after a kill.
func (s *stage) ahead(t *testing.T) int {
	t.Helper()
	below := s.below(s.Committed(t, s.group)) // first: what arrives meanwhile makes no difference
	a := s.arrived(t)
	missing := 0
	for _, n := range below {
		if a.times(n) == 0 {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d records are committed and were not delivered", missing)
	}
	return a.different() - (len(below) - missing)
}

// sorted prints a map in the order of its keys.
func sorted(m map[string]int) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%s %d, ", k, m[k])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
