package schema

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/consent"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file holds what the rules read in the earlier places of fields, inside an ext: the values
// there obey the same rules as in the field, and a rule for each says when the two disagree.

// movedReader returns the reader of objects inside an ext.
func (c *Checker) movedReader() *legacy.Reader {
	if c.moved == nil {
		c.moved = legacy.NewReader()
	}
	return c.moved
}

// reportIn adds a finding about a member of the current object's ext.
func (c *Checker) reportIn(ext fieldID, rule ruleID, member fieldID) {
	c.enter(ext, noIndex)
	c.report(rule, member)
	c.leave()
}

// movedRegs checks regs.ext.
func (c *Checker) movedRegs(v *openrtb.Regs) {
	r, e := c.at.request, c.engine
	if e.on(ruleRegsGdprFlag) {
		if gdpr, ok := legacy.Flag(v.Ext, "gdpr"); ok && gdpr != 0 && gdpr != 1 {
			c.reportIn(fRegsExt, ruleRegsGdprFlag, fMovedGdpr)
		}
	}
	if e.on(ruleRegsUsPrivacyFormat) {
		if s, ok := legacy.Text(v.Ext, "us_privacy"); ok && s != "" && !formatUsPrivacy(s) {
			c.reportIn(fRegsExt, ruleRegsUsPrivacyFormat, fMovedUsPrivacy)
		}
	}
	if e.on(ruleRegsGppFormat) || e.on(ruleRegsGppHeader) {
		if s, ok := legacy.Text(v.Ext, "gpp"); ok && s != "" {
			if !formatGpp(s) {
				c.reportIn(fRegsExt, ruleRegsGppFormat, fMovedGpp)
			} else if !consent.GPP(s) {
				c.reportIn(fRegsExt, ruleRegsGppHeader, fMovedGpp)
			}
		}
	}
	if v.GDPR != nil && e.on(ruleRegsGdprConflict) {
		if _, _, conflict := legacy.GDPR(r); conflict {
			c.reportIn(fRegsExt, ruleRegsGdprConflict, fMovedGdpr)
		}
	}
	if v.USPrivacy != "" && e.on(ruleRegsUsPrivacyConflict) {
		if _, _, conflict := legacy.USPrivacy(r); conflict {
			c.reportIn(fRegsExt, ruleRegsUsPrivacyConflict, fMovedUsPrivacy)
		}
	}
	if v.GPP != "" && e.on(ruleRegsGppConflict) {
		if _, _, conflict := legacy.GPP(r); conflict {
			c.reportIn(fRegsExt, ruleRegsGppConflict, fMovedGpp)
		}
	}
	if len(v.GPPSID) != 0 && e.on(ruleRegsGppSidConflict) {
		var conflict bool
		if c.sections, conflict = legacy.GPPSID(c.sections[:0], r); conflict {
			c.reportIn(fRegsExt, ruleRegsGppSidConflict, fMovedGppSid)
		}
	}
}

// gppLists reports whether regs.gpp_sid, at either place, is there, and whether it lists a section.
func (c *Checker) gppLists(section adcom.GPPSection) (there, listed bool) {
	c.sections, _ = legacy.GPPSID(c.sections[:0], c.at.request)
	for _, s := range c.sections {
		listed = listed || s == section
	}
	return len(c.sections) != 0, listed
}

// movedUser checks user.ext.
func (c *Checker) movedUser(v *openrtb.User) {
	r, e := c.at.request, c.engine
	if e.on(ruleUserConsentFormat) || e.on(ruleUserConsentHeader) {
		if s, ok := legacy.Text(v.Ext, "consent"); ok && s != "" {
			if !formatTcfV2(s) {
				c.reportIn(fUserExt, ruleUserConsentFormat, fMovedConsent)
			} else if !consent.TCF(s) {
				c.reportIn(fUserExt, ruleUserConsentHeader, fMovedConsent)
			}
		}
	}
	if v.Consent != "" && e.on(ruleUserConsentConflict) {
		if _, _, conflict := legacy.Consent(r); conflict {
			c.reportIn(fUserExt, ruleUserConsentConflict, fMovedConsent)
		}
	}
	if e.eids {
		c.movedEIDs()
	}
}

// movedEIDs checks user.ext.eids.
func (c *Checker) movedEIDs() {
	_, eids, conflict := c.movedReader().EIDs(c.at.request)
	c.enter(fUserExt, noIndex)
	for i := range eids {
		c.enter(fMovedEids, i)
		c.eid(&eids[i])
		c.leave()
	}
	c.leave()
	if conflict {
		c.reportIn(fUserExt, ruleUserEidsConflict, fMovedEids)
	}
}

// movedChains checks the supply chains in source.ext and in ext.
func (c *Checker) movedChains(r *openrtb.BidRequest) {
	chains := c.movedReader().SChain(r)
	if chains.Source != nil {
		c.enter(fBidRequestSource, noIndex)
		c.enter(fSourceExt, noIndex)
		c.movedChain(chains.Source, chains.SourceConflict, ruleSourceSchainConflict)
		c.leave()
		c.leave()
	}
	if chains.Request != nil {
		c.enter(fBidRequestExt, noIndex)
		c.movedChain(chains.Request, chains.RequestConflict, ruleBidRequestSchainConflict)
		c.leave()
	}
}

func (c *Checker) movedChain(chain *openrtb.SupplyChain, conflict bool, rule ruleID) {
	c.enter(fMovedSchain, noIndex)
	c.supplyChain(chain)
	c.leave()
	if conflict {
		c.report(rule, fMovedSchain)
	}
}

// movedRewarded is Imp.rwdd.conflict.
func (c *Checker) movedRewarded(v *openrtb.Imp) {
	if v.Rwdd == nil || !c.engine.on(ruleImpRwddConflict) {
		return
	}
	if _, _, conflict := legacy.Rewarded(v); conflict {
		c.enter(fImpExt, noIndex)
		c.enter(fMovedPrebid, noIndex)
		c.report(ruleImpRwddConflict, fMovedIsRewardedInventory)
		c.leave()
		c.leave()
	}
}

func (c *Checker) siteRules(v *openrtb.Site) {
	c.movedPartner(v.InventoryPartnerDomain, v.Ext, fSiteExt, ruleSiteInventorypartnerdomainFormat, ruleSiteInventorypartnerdomainConflict)
}

// movedPartner checks ext.inventorypartnerdomain.
func (c *Checker) movedPartner(field string, ext []byte, at fieldID, form, conflict ruleID) {
	if len(ext) == 0 || !c.engine.on(form) && !c.engine.on(conflict) {
		return
	}
	domain, ok := legacy.Text(ext, "inventorypartnerdomain")
	if !ok || domain == "" {
		return
	}
	if !formatDomain(domain) {
		c.reportIn(at, form, fMovedInventorypartnerdomain)
	}
	if field != "" && field != domain {
		c.reportIn(at, conflict, fMovedInventorypartnerdomain)
	}
}

// movedCIDs is Data.cids.conflict.
func (c *Checker) movedCIDs(v *openrtb.Data) {
	if len(v.CIDs) != 0 && len(v.Ext) != 0 && c.engine.on(ruleDataCidsConflict) && legacy.CIDs(v, func(string) {}) {
		c.reportIn(fDataExt, ruleDataCidsConflict, fMovedCids)
	}
}

// inExt returns the offset of a value inside the ext at the given offset, or of the innermost value
// around it.
func inExt(data []byte, at int, path []step) int {
	for _, p := range path {
		value, ok := child(data, at, fields[p.field].name)
		if ok && p.index >= 0 {
			at = value
			value, ok = element(data, at, int(p.index))
		}
		if !ok {
			break
		}
		at = value
	}
	return at
}

// child returns the offset of the last member of that name in the object at an offset.
func child(data []byte, at int, name string) (value int, ok bool) {
	s := scanner(data)
	s.Pos = at
	if s.Peek() != '{' || !s.Open() {
		return 0, false
	}
	s.Space()
	for more := s.Peek() == '"'; more; {
		key, good := s.Key()
		if !good {
			return value, ok
		}
		match := string(key) == name || s.Escaped && grammar.Unescape(key) == name
		if !s.Colon() {
			return value, ok
		}
		if match {
			value, ok = s.Pos, true
		}
		if !s.Skip(nil) {
			return value, ok
		}
		more, _ = s.More('}')
	}
	return value, ok
}

// element returns the offset of an element of the array at an offset.
func element(data []byte, at, index int) (value int, ok bool) {
	s := scanner(data)
	s.Pos = at
	if s.Peek() != '[' || !s.Open() {
		return 0, false
	}
	s.Space()
	for more := s.Peek() != ']'; more; index-- {
		if index == 0 {
			return s.Pos, true
		}
		if !s.Skip(nil) {
			break
		}
		more, _ = s.More(']')
	}
	return 0, false
}
