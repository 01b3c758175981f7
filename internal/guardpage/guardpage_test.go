package guardpage

import (
	"bytes"
	"runtime/debug"
	"testing"
)

// TestContent checks that both copies hold the data, lie at the ends of the buffer and can't grow.
func TestContent(t *testing.T) {
	b := New(t, 100)
	if b.Len() < 100 {
		t.Fatalf("Len() = %d, want at least 100", b.Len())
	}
	for _, n := range []int{0, 1, 63, 64, 100, b.Len()} {
		data := bytes.Repeat([]byte{byte(n)}, n)
		for name, got := range map[string][]byte{"Front": b.Front(data), "Back": b.Back(data)} {
			if !bytes.Equal(got, data) || cap(got) != n {
				t.Errorf("%s of %d bytes: wrong content, or capacity %d", name, n, cap(got))
			}
		}
	}
	if data := make([]byte, b.Len()); &b.Front(data)[0] != &b.mem[0] {
		t.Error("Front is not at the start of the buffer")
	}
	if got := b.Back([]byte{1, 2}); &got[1] != &b.mem[b.Len()-1] {
		t.Error("Back is not at the end of the buffer")
	}
}

// TestGuards checks the pages on both sides: reading one byte outside must fault, reading the first
// and the last byte must not.
func TestGuards(t *testing.T) {
	if !Enabled {
		t.Skip("no guard pages on this system")
	}
	b := New(t, 1)
	end := b.guard + b.Len()
	for _, c := range []struct {
		name  string
		at    int
		fault bool
	}{
		{"last byte of the page before", b.guard - 1, true},
		{"first byte", b.guard, false},
		{"last byte", end - 1, false},
		{"first byte of the page after", end, true},
	} {
		if got := faults(func() { sink = b.whole[c.at] }); got != c.fault {
			t.Errorf("reading the %s: fault = %v, want %v", c.name, got, c.fault)
		}
		if got := faults(func() { b.whole[c.at] = 1 }); got != c.fault {
			t.Errorf("writing the %s: fault = %v, want %v", c.name, got, c.fault)
		}
	}
}

var sink byte

func faults(access func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() != nil }()
	access()
	return false
}

// TestToucher checks that the name is the reading function's.
func TestToucher(t *testing.T) {
	want := "readFirst"
	if !Enabled {
		want = ""
	}
	if got := Toucher(t, func(b []byte) { readFirst(b) }); got != want {
		t.Errorf("Toucher is %q, want %q", got, want)
	}
	if got := Toucher(t, func([]byte) {}); got != "" {
		t.Errorf("Toucher is %q when nothing reads", got)
	}
}

//go:noinline
func readFirst(b []byte) byte { return b[0] }
