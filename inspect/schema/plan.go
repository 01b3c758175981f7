package schema

import (
	"slices"
	"strings"
)

// This file works out what an engine has to evaluate, so that rules that are off cost little.

// work says which rules of an object an engine has on.
type work uint8

const (
	workGenerated work = 1 << iota // one that the object's generated functions evaluate
	workByHand                     // one that its hand-written function evaluates
	workInside                     // one of an object inside it
)

// also says which objects in other places than fields an engine has a rule about.
type also struct {
	payloads bool // native payloads, in strings
	eids     bool // user.ext.eids
	chains   bool // the supply chains in source.ext and ext
}

// on reports whether findings of a rule are reported.
func (e *Engine) on(rule ruleID) bool { return e.severity[rule] != Off }

// plan fills in the work. The severities must not change after it.
func (e *Engine) plan() {
	anyOn := func(list []ruleID, bit work) work {
		if slices.ContainsFunc(list, e.on) {
			return bit
		}
		return 0
	}
	for o := range evaluated {
		e.work[o] = anyOn(evaluated[o].generated, workGenerated) | anyOn(evaluated[o].byHand, workByHand)
	}
	for i := range rules {
		object := rules[i].Object
		if e.on(ruleID(i)) && strings.HasPrefix(object, "Native") && object != "Native" {
			e.payloads = true
		}
	}
	e.eids = e.on(ruleUserEidsConflict) || e.doubtful() || e.work[objEID]|e.work[objUID] != 0
	e.chains = e.on(ruleSourceSchainConflict) || e.doubtful() || e.on(ruleBidRequestSchainConflict) || e.work[objSupplyChain]|e.work[objSupplyChainNode] != 0
	for _, around := range []struct {
		object objectID
		enters bool
	}{{objNative, e.payloads}, {objBid, e.payloads}, {objUser, e.eids}, {objBidRequest, e.chains}} {
		if around.enters {
			e.work[around.object] |= workByHand // it enters them
		}
	}
	if e.on(ruleAnyExtType) {
		for _, o := range [...]objectID{objRegs, objUser, objImp, objSite, objApp, objData} {
			e.work[o] |= workByHand // it has legacy fields
		}
	}
	for changed := true; changed; {
		changed = false
		for o := range evaluated {
			for _, inner := range evaluated[o].inside {
				if e.work[inner] != 0 && e.work[o]&workInside == 0 {
					e.work[o] |= workInside
					changed = true
				}
			}
		}
	}
}
