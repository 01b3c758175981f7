//go:build unix

package kafka

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/inspect"
)

// The records of a test are numbered from 0, and the number n says all about a record: what is in
// it, whether it is poisoned, and its partition. The header "n" names it wherever it is found.

const good = `{"id":"r%d","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"%s"},` +
	`"device":{"ua":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","ip":"8.8.8.8"},"ext":{"pad":"%s"}}`

// request returns an acceptable request of about that many bytes or more.
func request(n int, domain string, size int) []byte {
	return fmt.Appendf(nil, good, n, domain, strings.Repeat("x", max(0, size-len(good))))
}

// The kinds of poison.
const (
	cut = iota
	noText
	empty
	wrongType
	deep
	null
	poisons
)

const (
	poisonEvery = 40      // 1 record in so many is poisoned
	levels      = 100_000 // of the deep ones
)

// poison returns the kind of poison of record n, or -1.
func poison(n int) int {
	if n%poisonEvery != 17 {
		return -1
	}
	return n / poisonEvery % poisons
}

// value is the value of record n: an acceptable request, or poison.
func value(n int) []byte {
	r := request(n, "a.example", 200+n%800)
	switch poison(n) {
	case cut:
		return r[:len(r)*2/3]
	case noText:
		random, b := rand.New(rand.NewPCG(1, uint64(n))), make([]byte, 100)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	case empty:
		return []byte{}
	case wrongType:
		return bytes.Replace(r, []byte(`"imp":[`), []byte(`"imp":"no","imps":[`), 1)
	case deep:
		return fmt.Appendf(nil, `{"id":"r%d","ext":%s%s}`, n, strings.Repeat("[", levels), strings.Repeat("]", levels))
	case null:
		return nil
	}
	return r
}

// record returns record n of a topic with that many partitions. Keys and values of headers are also
// empty, and null, which are not the same.
func record(topic string, n, partitions int) *kgo.Record {
	r := &kgo.Record{
		Topic: topic, Partition: int32((n + n/poisonEvery) % partitions), Value: value(n),
		Timestamp: time.UnixMilli(1_700_000_000_000 + int64(n)),
		Headers:   []kgo.RecordHeader{{Key: "n", Value: strconv.AppendInt(nil, int64(n), 10)}},
	}
	switch n % 7 {
	case 0:
	case 1:
		r.Key = []byte{}
	default:
		r.Key = fmt.Appendf(nil, "key %d", n%100)
	}
	switch n % 4 {
	case 0:
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: "trace"}, kgo.RecordHeader{Key: "trace", Value: []byte{}})
	case 1: // as if it were read from dead letters; it is written as the sender's
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: "rtbwire-reason", Value: []byte("forged")}, kgo.RecordHeader{Key: "", Value: []byte{0, 255}})
	}
	return r
}

// expectation is what must become of a record.
type expectation struct {
	reason, path string // reason is empty for an accepted one
	nbr, offset  int
	value        []byte
	headers      []string // further ones of a dead letter: names
	late         bool     // its topic does not take its timestamp
}

// judge returns what becomes of a record by its verdict. It is the library's verdict; that streams
// give the same is what is tested.
func judge(worker *inspect.Worker, r *kgo.Record) expectation {
	v := worker.Inspect(r.Value, inspect.Facts{Time: r.Timestamp})
	e := expectation{value: r.Value}
	if v.Action != inspect.ActionRefuse {
		return e
	}
	e.reason, e.nbr, e.offset = v.Reason, int(v.NBR), -1
	for _, f := range v.Findings {
		if f.Severity == inspect.Refuse {
			e.path, e.offset = f.Path, f.Offset
			break
		}
	}
	return e
}
