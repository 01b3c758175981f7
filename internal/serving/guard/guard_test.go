package guard

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

const (
	before   = "POST /before HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc"
	smuggled = "GET /smuggled HTTP/1.1\r\nHost: a.example\r\n\r\n"
)

// sizes are the sizes of a server's read buffer.
var sizes = []int{1, 30, 4096}

func TestRefused(t *testing.T) {
	spellings := 0
	for _, tc := range refusedCases {
		if len(tc.spellings) < 2 {
			t.Errorf("%s has %d spellings, want two or more", tc.refusal.Code, len(tc.spellings))
		}
		for _, text := range tc.spellings {
			spellings++
			checkRefused(t, tc.refusal, text, smuggled)
		}
	}
	if spellings < 200 {
		t.Errorf("%d spellings, want 200 or more", spellings)
	}
	for _, tc := range truncatedCases {
		for _, text := range tc.inputs {
			checkRefused(t, tc.refusal, text, "")
		}
	}
}

// checkRefused sends a text in all ways, alone and after a good request.
func checkRefused(t *testing.T, want *Refusal, text, after string) {
	t.Helper()
	r := testkit.Rand(testkit.Seed(t))
	for _, first := range []string{"", before, get("") + before} {
		all := first + text + after
		for way := range testkit.Scale(t, 3, ways, ways) {
			for _, size := range sizes {
				out := serve(t, limits, size, split(all, way, r))
				if problem := out.refusedWith(want, first, text); problem != "" {
					t.Errorf("%s: %q after %d bytes, split %d, buffer %d: %s", want.Code, text, len(first), way, size, problem)
					return // the others fail alike
				}
			}
		}
	}
}

// refusedWith says what is wrong with the outcome of a refused text after good messages.
func (out outcome) refusedWith(want *Refusal, first, text string) string {
	if got := fmt.Sprint(out.codes); got != "["+want.Code+"]" {
		return "codes " + got
	}
	if !strings.HasPrefix(out.handed, first) || !strings.HasPrefix(first+text, out.handed) {
		return fmt.Sprintf("handed on %q", out.handed)
	}
	part := len(out.handed) - len(first)
	inHead := !strings.HasPrefix(want.Code, "chunk.") && !strings.HasPrefix(want.Code, "body.")
	if part > 0 && (inHead || part >= len(text) && want != bodyTruncated) {
		return fmt.Sprintf("%d bytes of the refused message are handed on", part)
	}
	var r *Refusal
	if part == 0 && !errors.Is(out.err, io.EOF) || part > 0 && (!errors.As(out.err, &r) || r != want || !errors.Is(r, io.ErrUnexpectedEOF)) {
		return fmt.Sprintf("error %v", out.err)
	}
	if answers := strings.Count(first, "HTTP/1.1\r\n"); out.written != strings.Repeat(okAnswer, answers)+string(want.answer) {
		return fmt.Sprintf("written %q", out.written)
	}
	if out.script.halves != 1 {
		return fmt.Sprintf("CloseWrite was called %d times", out.script.halves)
	}
	if n, err := out.conn.Write([]byte("HTTP/1.1 500 Internal Server Error\r\n\r\n")); n != 0 || err == nil || out.script.written.Len() != len(out.written) {
		return fmt.Sprintf("Write after the refusal: %d, %v", n, err)
	}
	return ""
}

func TestAccepted(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, text := range acceptedCases {
		for _, all := range []string{text, before + text, text + text + smuggled + text} {
			for way := range ways {
				for _, size := range sizes {
					out := serve(t, limits, size, split(all, way, r))
					if out.handed != all || len(out.codes) > 0 || !errors.Is(out.err, io.EOF) {
						t.Fatalf("%q, split %d, buffer %d: %q, %v, %v", text, way, size, out.handed, out.codes, out.err)
					}
					if out.written != strings.Repeat(okAnswer, out.answers) {
						t.Fatalf("%q: written %q", text, out.written)
					}
				}
			}
		}
	}
}

// TestEveryCode wants the cases to be about every refusal, and the package's table to list them.
func TestEveryCode(t *testing.T) {
	tried := map[*Refusal]bool{headTimeout: true, bodyTimeout: true} // tested with sockets
	for _, tc := range refusedCases {
		tried[tc.refusal] = true
	}
	for _, tc := range truncatedCases {
		tried[tc.refusal] = true
	}
	table := packageTable(t)
	for i, r := range refusals {
		if !tried[r] {
			t.Errorf("no case is refused with %s", r.Code)
		}
		if want := fmt.Sprintf("%s %d", r.Code, r.Status); i >= len(table) || table[i] != want {
			t.Errorf("row %d of the package's table is not %s", i, want)
		}
	}
	if len(table) != len(refusals) {
		t.Errorf("the package's table has %d rows, want %d", len(table), len(refusals))
	}
}
