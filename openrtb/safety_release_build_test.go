//go:build !rtbwiredebug

package openrtb_test

import (
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// poisoned says that this build never uses an arena twice.
const poisoned = false

// TestReleasedRootIsEmpty checks what is free to check: a request that is used after its release is empty, until its
// memory is given out again.
func TestReleasedRootIsEmpty(t *testing.T) {
	v := requestAPI.get(t, 1)
	openrtb.ReleaseArena(v)
	if v.ID != "" || v.Imp != nil || v.Site != nil || v.At != nil || v.Ext != nil {
		t.Errorf("a released request still is %+v", v)
	}
}
