package gateway

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/openrtb"
)

// TestBudgetBorders gives times that are no use for arithmetic.
func TestBudgetBorders(t *testing.T) {
	t.Parallel()
	const limit = time.Minute
	for _, tt := range []struct {
		tmax, partner int
		ms            int // that count
	}{
		{0, 0, 0},
		{-1, 0, 0},
		{math.MinInt, 0, 0},
		{math.MaxInt, 0, tmaxMsMax},
		{math.MaxInt / int(time.Millisecond), 0, min(tmaxMsMax, math.MaxInt/int(time.Millisecond))},
		{math.MaxInt/int(time.Millisecond) + 1, 0, min(tmaxMsMax, math.MaxInt/int(time.Millisecond)+1)},
		{tmaxMsMax + 1, 0, tmaxMsMax},
		{tmaxMsMax, 0, tmaxMsMax},
		{0, 50_000, 50_000},
		{-1, 50_000, 50_000},
		{math.MaxInt, 50_000, 50_000},
		{math.MaxInt, math.MaxInt, tmaxMsMax},
	} {
		var b timeBudget
		o, own := &Options{UpstreamTimeout: limit}, &partner{Partner: &Partner{TMaxMs: tt.partner}}
		b.begin(o, own)
		if began := time.Now(); !b.apply(o, own, &openrtb.BidRequest{TMax: &tt.tmax}, began) || b.tmaxMs != tt.ms ||
			tt.ms > 0 && !b.deadline.Equal(began.Add(time.Duration(tt.ms)*time.Millisecond)) || tt.ms == 0 && !b.deadline.IsZero() {
			t.Errorf("tmax %d, the partner's %d: %+v, want %d ms", tt.tmax, tt.partner, b, tt.ms)
		}
		if left := b.left(); left <= 0 || left > limit {
			t.Errorf("tmax %d, the partner's %d: %v are left", tt.tmax, tt.partner, left)
		}
	}
}

// TestTMaxBorders sends such times. A rule refuses negative ones; of the others the upstream gets
// one that can be kept.
func TestTMaxBorders(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		g := serve(Options{Upstreams: At(up.URL), LowerTMax: true, UpstreamTimeout: 30 * time.Second})
		for _, tmax := range []int{math.MaxInt, tmaxMsMax + 1, 0, -1, math.MinInt} {
			r := g.post(t, PathDefault, withTMax(good(t), tmax))
			got := up.take()
			if tmax < 0 {
				if r.status != http.StatusNoContent || len(got) > 0 {
					t.Errorf("tmax %d: %+v, the core got %d requests", tmax, r, len(got))
				}
				continue
			}
			if r.status != http.StatusOK || len(got) != 1 {
				t.Errorf("tmax %d: %+v, the core got %d requests", tmax, r, len(got))
				continue
			}
			var read struct{ TMax int }
			if err := json.Unmarshal(got[0].body, &read); err != nil {
				t.Fatal(err)
			}
			if tmax > 0 && (read.TMax <= 0 || read.TMax > 30_000) || tmax == 0 && read.TMax != 0 {
				t.Errorf("tmax %d: the core got %d", tmax, read.TMax)
			}
		}
	})
}
