package coder

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// These tests are about values of unknown keys and raw values. They are skipped without recursion,
// and checked.

// skipped decodes a value in an unknown member and in a raw one.
func skipped(r *Reader, value string) (raw []byte, unknown, kept error) {
	_, unknown = decodeHolder(r, []byte(`{"x":`+value+`}`), scalar((*Reader).AnyString))
	h, kept := decodeHolder(r, []byte(`{"v":`+value+`}`), (*Reader).Raw)
	return h.V, unknown, kept
}

// rawMessage reads a raw value.
func rawMessage(r *Reader, p, depth int) (json.RawMessage, int) { return r.Raw(p, depth) }

// faultyBytes are the bytes that mutations insert.
const faultyBytes = "{}[],:\"\\0-.etfn \n\x00\xff"

// TestSkipRandom skips random values, valid and with faults. encoding/json says whether they are
// JSON, and the oracle why not.
func TestSkipRandom(t *testing.T) {
	count := testkit.Scale(t, 1500, 20_000, 300_000)
	rnd, rs := testkit.Rand(testkit.Seed(t)), readers()
	var plain Reader
	for range count {
		value := oracle.RandomJSON(rnd.IntN, 4)
		raw, unknown, kept := skipped(&plain, value)
		if unknown != nil || kept != nil {
			t.Fatalf("%s: %v, %v", value, unknown, kept)
		}
		if want := strings.TrimSpace(value); want != "null" && string(raw) != want || cap(raw) != len(raw) {
			t.Fatalf("%s is kept as %s, with room for %d", value, raw, cap(raw))
		}
		faulty := []byte(value)
		for range 1 + rnd.IntN(2) {
			at := rnd.IntN(len(faulty))
			switch rnd.IntN(3) {
			case 0:
				faulty = append(faulty[:at:at], faulty[at+1:]...)
			case 1:
				faulty[at] = faultyBytes[rnd.IntN(len(faultyBytes))]
			default:
				faulty = append(faulty[:at:at], append([]byte{faultyBytes[rnd.IntN(len(faultyBytes))]}, faulty[at:]...)...)
			}
			if len(faulty) == 0 {
				break
			}
		}
		doc := fmt.Appendf(nil, `{"x":%s}`, faulty)
		against(t, rs, doc, scalar((*Reader).AnyString))
		_, err := decodeHolder(&plain, doc, scalar((*Reader).AnyString))
		if err == nil && !json.Valid(doc) {
			t.Errorf("%q is accepted", doc)
		}
		if t.Failed() {
			return
		}
	}
}

// TestSkipPrefixes cuts a value off at each byte: no prefix is accepted, with or without brackets
// after it.
func TestSkipPrefixes(t *testing.T) {
	rs := readers()
	value := ` { "a" : [ true , false , null , -1.5e+3 , "\u00e9\ud83d\ude00" , { } , [ ] ] , "b" : { "c" : "` + strings.Repeat("d", 130) + `" } } `
	for cut := range len(value) {
		for _, end := range []string{"", "}", "}}", "]}", `"}`, "  }"} {
			against(t, rs, []byte(`{"x":`+value[:cut]+end), scalar((*Reader).AnyString))
			against(t, rs, []byte(`{"v":`+value[:cut]+end), rawMessage)
		}
	}
}

// TestSkipDepth skips values of each depth around the limit. The limits are around the borders of
// the words that remember which brackets are open.
func TestSkipDepth(t *testing.T) {
	for _, most := range []int{1, 2, 3, 62, 63, 64, 65, 127, 128, 129, wire.DepthMax - 1, wire.DepthMax} {
		rs := readers(wire.MaxDepth(most))
		for levels := max(0, most-3); levels <= most+2; levels++ {
			// Arrays, objects, and both in turn, so that each bit is set and cleared.
			for _, open := range []string{"[", `{"a":`, `[{"a":`} {
				value, closing := strings.Repeat(open, levels), ""
				for i := len(value) - 1; i >= 0; i-- {
					switch value[i] {
					case '[':
						closing += "]"
					case '{':
						closing += "}"
					}
				}
				doc := `{"x":` + value + "0" + closing + "}"
				nested := len(closing) + 1
				for i, m := range modes {
					againstMode(t, rs[i], m.mode, []byte(doc), oracle.Options{Depth: most}, scalar((*Reader).AnyString))
				}
				_, err := decodeHolder(rs[0], []byte(doc), scalar((*Reader).AnyString))
				if (nested > most) != (codeOf(err) == wire.CodeDepth) {
					t.Errorf("%d levels of %s with a limit of %d: %v", nested, open, most, err)
				}
			}
		}
	}
}

// TestSkipIterative skips a deep value on a goroutine whose stack must stay small.
func TestSkipIterative(t *testing.T) {
	deep := func(levels int) []byte {
		return []byte(`{"x":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}")
	}
	var r Reader
	code := make(chan wire.Code)
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 10)) // recursion would exceed this and end the program
	for _, levels := range []int{10, wire.DepthMax - 1, wire.DepthMax, 1 << 20} {
		go func() {
			_, err := decodeHolder(&r, deep(levels), scalar((*Reader).AnyString))
			code <- codeOf(err)
		}()
		want := wire.CodeDepth
		if levels < wire.DepthMax {
			want = 0
		}
		if got := <-code; got != want {
			t.Errorf("%d levels: %v, want %v", levels, got, want)
		}
	}
}

// TestRawOfNull: a raw value that is null is absent.
func TestRawOfNull(t *testing.T) {
	rs := readers()
	for _, value := range []string{"null", " null ", "nul", "nulL", "[null]", "n", `"null"`} {
		against(t, rs, []byte(`{"v":`+value+`}`), rawMessage)
	}
}
