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

func (c *Checker) noteBidRequest(v *openrtb.BidRequest) { c.at = around{request: v} }

// noteImp comes before the impression's banner, which is no companion.
func (c *Checker) noteImp(v *openrtb.Imp) { c.at.imp, c.at.companion = v, false }

func (c *Checker) noteVideo(*openrtb.Video)               { c.at.companion = true }
func (c *Checker) noteAudio(*openrtb.Audio)               { c.at.companion = true }
func (c *Checker) noteSupplyChain(v *openrtb.SupplyChain) { c.at.chain = v }

// noteUser says that the data checked next belongs to the user. Content, the other place of data,
// comes before the user.
func (c *Checker) noteUser(*openrtb.User) { c.at.userData = true }

func (c *Checker) noteNativeResponse(v *native.Response) { c.at.ad = v }
