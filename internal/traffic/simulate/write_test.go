package simulate

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

// TestWrite checks that the order and the bytes are as with one goroutine, however many there are.
func TestWrite(t *testing.T) {
	g := mustNew(t, faulty(4, Mixed))
	var want, wantLabels []byte
	for n := range uint64(2000) {
		var l Label
		want, l = g.AppendRequest(want, 100+n)
		want = append(want, '\n')
		wantLabels = append(l.AppendJSON(wantLabels), '\n')
	}
	for _, jobs := range []int{0, 1, 3, 16} {
		var requests, labels bytes.Buffer
		last := uint64(0)
		done, err := g.Write(t.Context(), Output{
			Requests: &requests, Labels: &labels, First: 100, Count: 2000, Jobs: jobs,
			Progress: func(n uint64) {
				if n <= last {
					t.Errorf("progress from %d to %d", last, n)
				}
				last = n
			},
		})
		if err != nil || !bytes.Equal(requests.Bytes(), want) || !bytes.Equal(labels.Bytes(), wantLabels) {
			t.Fatalf("%d jobs: %v, %d bytes and %d of labels, want %d and %d", jobs, err, requests.Len(), labels.Len(), len(want), len(wantLabels))
		}
		sum := uint64(0)
		for _, n := range done.Classes {
			sum += n
		}
		if done.Requests != 2000 || done.Bytes != uint64(len(want)) || sum != 2000 || last != 2000 {
			t.Errorf("%d jobs: %+v, progress to %d", jobs, done, last)
		}
	}
	if done, err := g.Write(t.Context(), Output{Count: 0, Requests: io.Discard}); err != nil || done.Requests != 0 {
		t.Errorf("no requests: %+v, %v", done, err)
	}
}

var errFull = errors.New("no space left on device")

// fullDisk accepts some bytes.
type fullDisk int

func (d *fullDisk) Write(p []byte) (int, error) {
	if *d -= fullDisk(len(p)); *d < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteFullDisk(t *testing.T) {
	g := mustNew(t, Config{})
	for _, room := range []fullDisk{0, 1000, 300_000} {
		disk, other := room, fullDisk(1<<30)
		if _, err := g.Write(t.Context(), Output{Requests: &disk, Count: 5000}); !errors.Is(err, errFull) {
			t.Errorf("requests, %d bytes: %v", room, err)
		}
		disk = room
		done, err := g.Write(t.Context(), Output{Requests: &other, Labels: &disk, Count: 20_000})
		if !errors.Is(err, errFull) || done.Requests >= 20_000 {
			t.Errorf("labels, %d bytes: %+v, %v", room, done, err)
		}
	}
}

// TestWriteEndless ends a run that has no end, and reads what came before.
func TestWriteEndless(t *testing.T) {
	g := mustNew(t, Config{Seed: 1})
	ctx, cancel := context.WithCancel(t.Context())
	pr, pw := io.Pipe()
	go func() {
		lines := bufio.NewScanner(pr)
		lines.Buffer(nil, 1<<20)
		for n := 0; lines.Scan(); n++ {
			if n == 3000 {
				cancel()
			}
		}
	}()
	done, err := g.Write(ctx, Output{Requests: pw, Count: Endless, Jobs: 2})
	if !errors.Is(err, context.Canceled) || done.Requests < 2000 || done.Requests%pieceRequests != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if err := pw.Close(); err != nil {
		t.Fatal(err)
	}
}
