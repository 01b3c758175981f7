package simulate

import (
	"fmt"
	"math/bits"
	"slices"
)

// Class says what kind of fault a request has.
type Class uint8

// The classes.
const (
	Clean   Class = iota // no fault
	Defect               // it is not JSON, or not what OpenRTB and auction servers accept
	Payload              // it carries an attack in a string
	Fraud                // it is a valid request that no honest device or seller makes
	classCount
)

var classNames = [classCount]string{Clean: "clean", Defect: "defect", Payload: "payload", Fraud: "fraud"}

// String returns "clean", "defect", "payload" or "fraud".
func (c Class) String() string {
	if c < classCount {
		return classNames[c]
	}
	return fmt.Sprintf("Class(%d)", c)
}

// Kind is a fault that can be planted.
type Kind struct {
	Class Class
	ID    string // "imp.id-missing"; what a label has as its "what"
	About string // one sentence without a full stop
}

// Kinds returns all faults, grouped by class.
func Kinds() []Kind {
	list := make([]Kind, len(plans))
	for i := range plans {
		list[i] = plans[i].Kind
	}
	return list
}

// plan is how a fault is planted.
type plan struct {
	Kind

	// What the request has to be, so that the fault fits. Zero values ask for nothing.
	channels []channel
	formats  format
	imps     int
	newer    bool // written by a producer of OpenRTB 2.6

	change change   // of the request, before it is written
	put    []value  // members with other values
	force  []member // members that must be there
	omit   []member // members that must not
	noID   bool     // the request has no id

	attack string // of a payload

	// edit changes the text: at is where the key of the member watch begins, in the first object
	// that has it.
	watch member
	edit  func(text []byte, start, at int) []byte

	puts, forced, omitted set
}

// value is a member's value, in JSON: one of some texts, or what fill makes.
type value struct {
	member member
	texts  []string
	fill   fill
}

// set is a set of members.
type set [(int(memberCount) + 63) / 64]uint64

func (s *set) add(m member) { s[m>>6] |= 1 << (m & 63) }

func (s *set) has(m member) bool { return s[m>>6]>>(m&63)&1 == 1 }

func (s *set) len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// parents are the members that hold an object.
var parents = map[object][]member{
	objImp: {reqImp}, objBanner: {impBanner}, objVideo: {impVideo}, objAudio: {impAudio}, objNative: {impNative},
	objPMP: {impPMP}, objDeal: {pmpDeals}, objSite: {reqSite}, objApp: {reqApp}, objDOOH: {reqDOOH},
	objPublisher: {sitePublisher, appPublisher, doohPublisher}, objContent: {siteContent, appContent}, objDevice: {reqDevice},
	objGeo: {devGeo}, objSUA: {devSUA}, objUser: {reqUser}, objRegs: {reqRegs}, objSource: {reqSource},
	objSchain: {sourceSchain, sourceExt}, objNode: {schainNodes},
}

// exts are the members that hold what has moved since OpenRTB 2.5.
var exts = map[member]member{
	regsGDPR: regsExt, regsUSPrivacy: regsExt, userConsent: userExt, userEIDs: userExt, sourceSchain: sourceExt,
}

// channelMembers exist in some channels only: nothing forces them in others.
var channelMembers = map[member][]channel{reqSite: {onSite}, reqApp: {inApp, onTV}, reqDOOH: {outside}}

// prepared fills in the sets of all plans. A member that must be there needs those that hold it.
func prepared(list []plan) []plan {
	for i := range list {
		p := &list[i]
		if p.edit == nil {
			p.watch = memberCount
		}
		var hold func(m member)
		hold = func(m member) {
			if m != memberCount {
				p.forced.add(m)
			}
			if ext, moved := exts[m]; moved {
				hold(ext)
			}
			for _, parent := range parents[members[m].object] {
				if _, some := channelMembers[parent]; !some {
					hold(parent)
				}
			}
		}
		for _, v := range p.put {
			hold(v.member)
			p.puts.add(v.member)
		}
		for _, m := range p.force {
			hold(m)
		}
		if p.watch != memberCount {
			hold(p.watch)
		}
		for _, m := range p.omit {
			p.omitted.add(m)
		}
		if p.Class == Fraud && p.forced.has(reqDevice) { // a device without an agent is another fraud
			hold(devUA)
		}
	}
	return list
}

// What a plan says about a member.
const (
	aboutNothing = iota
	aboutPut
	aboutForce
	aboutOmit
)

// about says what the plan says about a member.
func (p *plan) about(m member) int {
	switch {
	case p.omitted.has(m):
		return aboutOmit
	case p.puts.has(m):
		return aboutPut
	case p.forced.has(m):
		return aboutForce
	}
	return aboutNothing
}

// special reports whether the plan is about some member.
func (p *plan) special() bool {
	return p.puts.len()+p.forced.len()+p.omitted.len() > 0 || p.Class == Payload
}

// fits reports whether the plan can be carried out in a slot.
func (p *plan) fits(s slot) bool {
	if p.formats != 0 && s.formats&p.formats == 0 {
		return false
	}
	return p.channels == nil || slices.Contains(p.channels, s.channel)
}

// possible reports whether the plan can be carried out in a shape.
func (p *plan) possible(s *shape) bool {
	return slices.ContainsFunc(s.slots, p.fits)
}

// prepare makes the request one that the plan fits.
func (p *plan) prepare(r *request) {
	slots := shapeTable[r.g.config.Shape].slots
	if !p.fits(slot{channel: r.channel, formats: r.formats}) {
		for i := r.src.below(len(slots)); ; i = (i + 1) % len(slots) {
			if p.fits(slots[i]) {
				r.channel, r.formats = slots[i].channel, slots[i].formats
				break
			}
		}
	}
	r.imps = max(r.imps, p.imps)
	if p.newer && r.dialect.old {
		r.dialect = r.g.dialects[0]
	}
}

// plans are all faults, grouped by class.
var plans = prepared(slices.Concat(defects, payloads, frauds))
