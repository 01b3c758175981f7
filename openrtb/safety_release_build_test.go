//go:build !rtbwiredebug

package openrtb_test

import (
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// TestReleasedRootIsEmpty checks that a request is empty after its release, until its memory is
// used again.
func TestReleasedRootIsEmpty(t *testing.T) {
	v := requestAPI.get(t, 1)
	openrtb.ReleaseArena(v)
	if v.ID != "" || v.Imp != nil || v.Site != nil || v.At != nil || v.Ext != nil {
		t.Errorf("after its release the request is %+v", v)
	}
}
