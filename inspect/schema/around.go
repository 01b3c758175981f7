package schema

import (
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// around holds the surroundings of the object being checked, for rules that look outside it. The
// generated function of an object notes them before anything else.
type around struct {
	request   *openrtb.BidRequest
	imp       *openrtb.Imp
	chain     *openrtb.SupplyChain
	companion bool // inside companionad
	userData  bool // inside user

	ad *native.Response // of native payloads
}

func (a *around) noteBidRequest(v *openrtb.BidRequest) { *a = around{request: v} }

// noteImp comes before the impression's banner, which is not a companion.
func (a *around) noteImp(v *openrtb.Imp) { a.imp, a.companion = v, false }

func (a *around) noteVideo(*openrtb.Video)               { a.companion = true }
func (a *around) noteAudio(*openrtb.Audio)               { a.companion = true }
func (a *around) noteSupplyChain(v *openrtb.SupplyChain) { a.chain = v }

// noteUser says that the data checked next belongs to the user. Content, the other place of data,
// comes before the user.
func (a *around) noteUser(*openrtb.User) { a.userData = true }

func (a *around) noteNativeResponse(v *native.Response) { a.ad = v }
