//go:build rtbwiredebug

package openrtb_test

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The poison that the build tag rtbwiredebug puts into everything that an arena owned.
const (
	poisonText   = "rtbwire: used after release"
	poisonNumber = -559038737
)

// TestDebugUseAfterRelease reads a request, and parts of one, after its release.
func TestDebugUseAfterRelease(t *testing.T) {
	v := requestAPI.get(t, 1)
	imp, site, at, floor, cur := &v.Imp[0], v.Site, v.At, v.Imp[2].BidFloor, v.Cur
	format, uid := v.Imp[1].Banner.Format, &v.User.EIDs[0].UIDs[0]
	openrtb.ReleaseArena(v)
	for where, text := range map[string]string{
		"the request's id": v.ID, "an impression's id": imp.ID, "the site's name": site.Name, "a string of an array": cur[0],
		"an id deep inside": uid.ID, "the device's agent": v.Device.UA,
	} {
		if text != poisonText {
			t.Errorf("%s reads %q after the release", where, text)
		}
	}
	if *at != poisonNumber || *v.At != poisonNumber || *format[0].W != poisonNumber || *floor != poisonNumber {
		t.Errorf("numbers read %d, %d, %d and %v after the release", *at, *v.At, *format[0].W, *floor)
	}
	if !strings.Contains(string(v.Ext), poisonText) || !strings.Contains(string(imp.Ext), poisonText) {
		t.Errorf("exts read %s and %s after the release", v.Ext, imp.Ext)
	}

	w := responseAPI.get(t, 1)
	bid := &w.SeatBid[0].Bid[1]
	openrtb.ReleaseResponseArena(w)
	if bid.ID != poisonText || bid.AdM != poisonText || *bid.Price != poisonNumber || w.Cur != poisonText || *w.NBR != poisonNumber {
		t.Errorf("a bid reads %+v after the release", bid)
	}
}

// TestDebugKeptString reads strings with escapes after the release. Decoders copy them into the
// arena: short ones into shared memory, long ones into memory of their own.
func TestDebugKeptString(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies strings")
	}
	for _, size := range []int{1, 100, 400, 1000, 50_000, 200_000} {
		text := strings.Repeat("a", size)
		v, err := openrtb.ParseFastArena([]byte(`{"id":"\n` + text + `","cur":["\n` + text + `","` + text + `\n","\n` + text + `"]}`))
		if err != nil {
			t.Fatal(err)
		}
		kept := append([]string{v.ID}, v.Cur...)
		openrtb.ReleaseArena(v)
		for i, s := range kept {
			if strings.Trim(s, "!") != "" {
				t.Errorf("string %d of %d bytes reads %.20q after the release", i, size, s)
			}
		}
	}
}

// TestDebugNothingIsUsedTwice releases many requests: their memory is never used again. So a
// second release panics, however late it comes.
func TestDebugNothingIsUsedTwice(t *testing.T) {
	var released []*openrtb.BidRequest
	for i := range 100 {
		v := requestAPI.get(t, i)
		for j, old := range released {
			if old == v {
				t.Fatalf("request %d has the memory of request %d", i, j)
			}
		}
		released = append(released, v)
		openrtb.ReleaseArena(v)
	}
	live := requestAPI.get(t, 5)
	for _, old := range released {
		requestAPI.refuses(t, "twice", old)
		if old.ID != poisonText {
			t.Fatalf("the id of a released request reads %q", old.ID)
		}
	}
	if s := testkit.CheckTagged(live, 5, testkit.TaggedLeaves(3)); s != "" {
		t.Errorf("late releases have changed a live request: %s", s)
	}
	openrtb.ReleaseArena(live)
}

// TestDebugLeavesTheRestAlone checks that poisoning changes neither the text nor a clone.
func TestDebugLeavesTheRestAlone(t *testing.T) {
	data := testkit.TaggedRequest(3, 3)
	v, err := openrtb.ParseFastArena(data)
	if err != nil {
		t.Fatal(err)
	}
	kept := v.Clone()
	openrtb.ReleaseArena(v)
	if string(data) != string(testkit.TaggedRequest(3, 3)) {
		t.Error("the release has changed the text")
	}
	if s := testkit.CheckTagged(kept, 3, testkit.TaggedLeaves(3)); s != "" {
		t.Errorf("the release has changed a clone: %s", s)
	}
}
