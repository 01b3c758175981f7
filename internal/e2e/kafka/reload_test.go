//go:build unix

package kafka

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestReload replaces the configuration again and again under load, by good files and broken ones.
// Good ones take effect, broken ones change nothing, and no record is lost or comes twice.
func TestReload(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), len(codecs))
		path := filepath.Join(t.TempDir(), "rtbwire.yaml")
		write := func(text string) {
			if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}
		// Configuration n refuses the site that its name says, and no other. Records go through the
		// sites.
		const sites = 7
		config := func(n int) string {
			return fmt.Sprintf("version: 1\nrules: [{name: n%d, when: site.domain == \"n%d.example\", severity: refuse, nbr: 7}]\n", n, n%sites)
		}
		plain := s.make
		s.make = func(n int) *kgo.Record {
			r := plain(n)
			if poison(n) < 0 {
				r.Value = request(n, fmt.Sprintf("n%d.example", n%sites), 300)
			}
			return r
		}
		write(config(0))
		p := s.run(t, append(args, "--config", path)...)
		f := newFeeder(t, s)
		f.on(rate / 2)
		rounds := testkit.Scale(t, 5, 30, 100)
		for n := 1; n <= rounds; n++ {
			write(config(n))
			p.Signal(t, syscall.SIGHUP)
			waitFor(t, "a record that the new configuration refuses", func() bool {
				p.running(t)
				return sum(p.metrics(t), "rtbwire_stream_dead_letters_total", fmt.Sprintf(`reason="policy.n%d"`, n)) > 0
			})
			if n%5 == 0 {
				write("version: 1\nrules: [")
				p.Signal(t, syscall.SIGHUP)
			}
		}
		f.stop()
		s.done(t, p)
		p.Stop(t)
		byRule := map[string]int{}
		seen := map[int]int{}
		for _, r := range s.Read(t, s.accepted, s.dead) {
			n, _ := s.identify(r)
			seen[n]++
			reason, _ := kafkatest.Header(r, "rtbwire-reason")
			if poison(n) >= 0 || r.Topic == s.accepted {
				continue
			}
			byRule[string(reason)]++
			var rule int
			if _, err := fmt.Sscanf(string(reason), "policy.n%d", &rule); err != nil || rule%sites != n%sites {
				t.Errorf("record %d was refused for %q", n, reason)
			}
		}
		for n := range s.count() {
			if seen[n] != 1 {
				t.Errorf("record %d arrived %d times", n, seen[n])
			}
		}
		refused := 0
		for _, times := range byRule {
			refused += times
		}
		t.Logf("%d records, %d of them refused by rules of %d configurations", s.count(), refused, len(byRule))
		if len(byRule) < rounds {
			t.Errorf("only %d configurations took effect", len(byRule))
		}
	})
}
