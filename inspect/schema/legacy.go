package schema

import (
	"slices"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/consent"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file holds what the rules read in the earlier places of fields, inside an ext: the values
// there obey the same rules as in the field, and a rule for each says when the two disagree.

// legacyReader returns the reader of objects inside an ext.
func (c *values) legacyReader() *legacy.Reader {
	if c.legacy == nil {
		c.legacy = legacy.NewReader()
	}
	return c.legacy
}

// legacyRegs checks regs.ext.
func legacyRegs(c *values, v *openrtb.Regs) {
	r, e := c.at.request, c.engine
	legacyUnread(c, v.Ext, fRegsExt, fLegacyGdpr, legacy.ReadsFlag)
	legacyUnread(c, v.Ext, fRegsExt, fLegacyUsPrivacy, legacy.ReadsText)
	legacyUnread(c, v.Ext, fRegsExt, fLegacyGpp, legacy.ReadsText)
	legacyUnread(c, v.Ext, fRegsExt, fLegacyGppSid, legacy.ReadsIntegers)
	if e.on(ruleRegsGdprFlag) {
		if gdpr, ok := legacy.Flag(v.Ext, "gdpr"); ok && gdpr != 0 && gdpr != 1 {
			c.reportIn(fRegsExt, ruleRegsGdprFlag, fLegacyGdpr)
		}
	}
	if e.on(ruleRegsUsPrivacyFormat) {
		if s, ok := legacy.Text(v.Ext, "us_privacy"); ok && s != "" && !formatUsPrivacy(s) {
			c.reportIn(fRegsExt, ruleRegsUsPrivacyFormat, fLegacyUsPrivacy)
		}
	}
	if e.on(ruleRegsGppFormat) || e.on(ruleRegsGppHeader) {
		if s, ok := legacy.Text(v.Ext, "gpp"); ok && s != "" {
			if !formatGpp(s) {
				c.reportIn(fRegsExt, ruleRegsGppFormat, fLegacyGpp)
			} else if !consent.GPP(s) {
				c.reportIn(fRegsExt, ruleRegsGppHeader, fLegacyGpp)
			}
		}
	}
	if v.GDPR != nil && e.on(ruleRegsGdprConflict) {
		if _, _, conflict := legacy.GDPR(r); conflict {
			c.reportIn(fRegsExt, ruleRegsGdprConflict, fLegacyGdpr)
		}
	}
	if v.USPrivacy != "" && e.on(ruleRegsUsPrivacyConflict) {
		if _, _, conflict := legacy.USPrivacy(r); conflict {
			c.reportIn(fRegsExt, ruleRegsUsPrivacyConflict, fLegacyUsPrivacy)
		}
	}
	if v.GPP != "" && e.on(ruleRegsGppConflict) {
		if _, _, conflict := legacy.GPP(r); conflict {
			c.reportIn(fRegsExt, ruleRegsGppConflict, fLegacyGpp)
		}
	}
	if len(v.GPPSID) != 0 && e.on(ruleRegsGppSidConflict) {
		var conflict bool
		if c.sections, conflict = legacy.GPPSID(c.sections[:0], r); conflict {
			c.reportIn(fRegsExt, ruleRegsGppSidConflict, fLegacyGppSid)
		}
	}
}

// gppLists reports whether regs.gpp_sid, at either place, is there, and whether it lists a section.
func gppLists(c *values, section adcom.GPPSection) (there, listed bool) {
	c.sections, _ = legacy.GPPSID(c.sections[:0], c.at.request)
	for _, s := range c.sections {
		listed = listed || s == section
	}
	return len(c.sections) != 0, listed
}

// legacyUser checks user.ext.
func legacyUser(c *values, v *openrtb.User) {
	r, e := c.at.request, c.engine
	legacyUnread(c, v.Ext, fUserExt, fLegacyConsent, legacy.ReadsText)
	if e.on(ruleUserConsentFormat) || e.on(ruleUserConsentHeader) {
		if s, ok := legacy.Text(v.Ext, "consent"); ok && s != "" {
			if !formatTcfV2(s) {
				c.reportIn(fUserExt, ruleUserConsentFormat, fLegacyConsent)
			} else if !consent.TCF(s) {
				c.reportIn(fUserExt, ruleUserConsentHeader, fLegacyConsent)
			}
		}
	}
	if v.Consent != "" && e.on(ruleUserConsentConflict) {
		if _, _, conflict := legacy.Consent(r); conflict {
			c.reportIn(fUserExt, ruleUserConsentConflict, fLegacyConsent)
		}
	}
	if e.eids {
		legacyEIDs(c)
	}
}

// legacyEIDs checks user.ext.eids.
func legacyEIDs(c *values) {
	_, eids, conflict := c.legacyReader().EIDs(c.at.request)
	c.enter(fUserExt, noIndex)
	for i := range eids {
		c.enter(fLegacyEids, i)
		checkEID(c, &eids[i])
		c.leave()
	}
	c.leave()
	if conflict {
		c.reportIn(fUserExt, ruleUserEidsConflict, fLegacyEids)
	}
	doubt, _, _ := c.legacy.Doubts()
	c.enter(fUserExt, noIndex)
	legacyDoubt(c, doubt, fLegacyEids, objEID, objUID)
	c.leave()
}

// legacyChains checks the supply chains in source.ext and in ext.
func legacyChains(c *values, r *openrtb.BidRequest) {
	chains := c.legacyReader().SChain(r)
	_, source, request := c.legacy.Doubts()
	if chains.Source != nil || source.Unread {
		c.enter(fBidRequestSource, noIndex)
		c.enter(fSourceExt, noIndex)
		legacyChain(c, chains.Source, chains.SourceConflict, ruleSourceSchainConflict, source)
		c.leave()
		c.leave()
	}
	if chains.Request != nil || request.Unread {
		c.enter(fBidRequestExt, noIndex)
		legacyChain(c, chains.Request, chains.RequestConflict, ruleBidRequestSchainConflict, request)
		c.leave()
	}
}

func legacyChain(c *values, chain *openrtb.SupplyChain, conflict bool, rule ruleID, doubt legacy.Doubt) {
	if chain != nil {
		c.enter(fLegacySchain, noIndex)
		checkSupplyChain(c, chain)
		c.leave()
	}
	if conflict {
		c.report(rule, fLegacySchain)
	}
	legacyDoubt(c, doubt, fLegacySchain, objSupplyChain, objSupplyChainNode)
}

// doubtful reports whether a rule is about what another reader may see in values inside an ext.
func (e *Engine) doubtful() bool { return e.on(ruleAnyKeyCase) || e.on(ruleAnyExtType) }

// legacyDoubt reports what another reader may see in a value of the given types.
func legacyDoubt(c *values, doubt legacy.Doubt, member fieldID, types ...objectID) {
	if doubt.Unread {
		c.report(ruleAnyExtType, member)
	}
	if keysInOtherCase(doubt.Unknown, types...) {
		c.report(ruleAnyKeyCase, member)
	}
}

// keysInOtherCase reports whether a value has a key that one of the types has in another letter
// case. It leaves out what is inside an ext.
func keysInOtherCase(value []byte, types ...objectID) bool {
	for p := 0; p < len(value); {
		if value[p] != '"' {
			p++
			continue
		}
		text := value[p+1 : grammar.StringEnd(value, p)-1]
		p = grammar.SpaceEnd(value, p+len(text)+2)
		if p == len(value) || value[p] != ':' {
			continue
		}
		key := grammar.Unescape(text)
		if key == "ext" {
			p = grammar.ValueEnd(value, grammar.SpaceEnd(value, p+1))
			continue
		}
		var buf [keyMax]byte
		lower := lowerCase(buf[:0], []byte(key))
		if lower != nil && slices.ContainsFunc(types, func(o objectID) bool { return o.field(lower) != 0 }) {
			return true
		}
	}
	return false
}

// legacyUnread is any.ext.type for a member of an ext that is no object.
func legacyUnread(c *values, ext []byte, at, member fieldID, reads func(value []byte) bool) {
	if len(ext) != 0 && c.engine.on(ruleAnyExtType) && legacy.Unread(ext, fields[member].name, reads) {
		c.reportIn(at, ruleAnyExtType, member)
	}
}

// legacyRewarded checks is_rewarded_inventory in ext.prebid.
func legacyRewarded(c *values, v *openrtb.Imp) {
	if c.engine.on(ruleAnyExtType) && legacy.MayHave(v.Ext, fields[fLegacyIsRewardedInventory].name) {
		prebid, _ := legacy.Member(v.Ext, fields[fLegacyPrebid].name)
		c.enter(fImpExt, noIndex)
		legacyUnread(c, prebid, fLegacyPrebid, fLegacyIsRewardedInventory, legacy.ReadsFlag)
		c.leave()
	}
	if v.Rwdd == nil || !c.engine.on(ruleImpRwddConflict) {
		return
	}
	if _, _, conflict := legacy.Rewarded(v); conflict {
		c.enter(fImpExt, noIndex)
		c.enter(fLegacyPrebid, noIndex)
		c.report(ruleImpRwddConflict, fLegacyIsRewardedInventory)
		c.leave()
		c.leave()
	}
}

func siteRules(c *values, v *openrtb.Site) {
	legacyPartner(c, v.InventoryPartnerDomain, v.Ext, fSiteExt, ruleSiteInventorypartnerdomainFormat, ruleSiteInventorypartnerdomainConflict)
}

// legacyPartner checks ext.inventorypartnerdomain.
func legacyPartner(c *values, field string, ext []byte, at fieldID, form, conflict ruleID) {
	legacyUnread(c, ext, at, fLegacyInventorypartnerdomain, legacy.ReadsText)
	if len(ext) == 0 || !c.engine.on(form) && !c.engine.on(conflict) {
		return
	}
	domain, ok := legacy.Text(ext, "inventorypartnerdomain")
	if !ok || domain == "" {
		return
	}
	if !formatDomain(domain) {
		c.reportIn(at, form, fLegacyInventorypartnerdomain)
	}
	if field != "" && field != domain {
		c.reportIn(at, conflict, fLegacyInventorypartnerdomain)
	}
}

// legacyCIDs checks ext.cids.
func legacyCIDs(c *values, v *openrtb.Data) {
	legacyUnread(c, v.Ext, fDataExt, fLegacyCids, legacy.ReadsTexts)
	if len(v.CIDs) != 0 && len(v.Ext) != 0 && c.engine.on(ruleDataCidsConflict) && legacy.CIDs(v, func(string) {}) {
		c.reportIn(fDataExt, ruleDataCidsConflict, fLegacyCids)
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
