package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// run does shards, as many at a time as there are processors.
func (d *differential) run(t *testing.T, shards []int, documents int) {
	// All goroutines share the choice of kernels, so it changes between rounds.
	levels := testkit.Levels()
	workers := min(runtime.GOMAXPROCS(0), max(len(shards)/len(levels), 1))
	start, before, round := time.Now(), d.done, 0
	all := d.done + len(shards)*documents
	for some := range slices.Chunk(shards, workers) {
		undo := testkit.SetLevel(levels[len(levels)-1-round%len(levels)])
		round++
		var wg sync.WaitGroup
		for _, n := range some {
			wg.Go(func() {
				s := shard{Seed: d.seed, Shard: n, Documents: documents, Classes: map[string]int{}}
				if !d.shard(t, &s) {
					return
				}
				d.add(s)
				if d.log != nil {
					line, err := json.Marshal(s)
					if err == nil {
						_, err = d.log.Write(append(line, '\n'))
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		undo()
		if t.Failed() {
			return
		}
		if d.long {
			perSecond := float64(d.done-before) / time.Since(start).Seconds()
			left := time.Duration(float64(all-d.done) / perSecond * float64(time.Second))
			fmt.Fprintf(os.Stderr, "%d of %d documents, %.0f a second, %v left\n", d.done, all, perSecond, left.Round(time.Second))
		}
	}
}

// remaining opens the log, adds the shards that it has, and returns the numbers of the others.
func (d *differential) remaining(t *testing.T, shards int) (list []int) {
	known := map[int]bool{}
	if name := os.Getenv("RTBWIRE_DIFFERENTIAL_LOG"); name != "" && d.long {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var s shard
			// A line may have been cut off when the run was interrupted: its shard is repeated.
			if json.Unmarshal(line, &s) == nil && s.Seed == d.seed && s.Shard < shards && s.Documents == shardDocuments && !known[s.Shard] {
				known[s.Shard] = true
				d.add(s)
			}
		}
		if d.log, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.log.Close(); err != nil {
				t.Error(err)
			}
		})
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			if _, err := d.log.WriteString("\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n := range shards {
		if !known[n] {
			list = append(list, n)
		}
	}
	return list
}
