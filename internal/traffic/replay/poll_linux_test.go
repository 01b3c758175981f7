package replay

import (
	"bytes"
	"io"
	"testing"
)

// TestFullSocket writes more than a socket takes. The rest goes out when there is room.
func TestFullSocket(t *testing.T) {
	p, err := newPoller()
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	ours, theirs := pair(t)
	s, err := p.add(ours, ident{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	text := bytes.Repeat([]byte("0123456789"), 3<<20)
	arrived := make(chan int64, 1)
	read := make(chan struct{})
	go func() {
		<-read
		n, _ := io.CopyN(io.Discard, theirs, int64(len(text)))
		arrived <- n
	}()
	sent, waits := 0, 0
	for sent < len(text) {
		n, err := s.write(text[sent:])
		if err != nil {
			t.Fatal(err)
		}
		if sent += n; sent == len(text) {
			break
		}
		if waits++; waits == 1 {
			close(read)
		}
		if err := s.wantWrite(true); err != nil {
			t.Fatal(err)
		}
		waitEvent(t, p)
	}
	if err := s.wantWrite(false); err != nil {
		t.Fatal(err)
	}
	if waits == 0 {
		t.Fatal("the socket took 30 MB at once")
	}
	if n := <-arrived; n != int64(len(text)) {
		t.Errorf("%d bytes arrived of %d", n, len(text))
	}
}
