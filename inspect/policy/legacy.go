package policy

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file has the fields that earlier versions keep in an ext. They are read at both places;
// package legacy decides where the two disagree. The objects Regs, User and Source occur once in a
// request, so the functions of that package take the request.

var legacyRegsGDPR = flagField("gdpr", func(c *frame, _ any) (int, bool, bool) {
	c.chargeRegs()
	return legacy.GDPR(c.request)
})

var legacyImpRwdd = flagField("rwdd", func(c *frame, o any) (int, bool, bool) {
	if imp := o.(*openrtb.Imp); imp != nil {
		c.charge(len(imp.Ext))
		return legacy.Rewarded(imp)
	}
	return 0, false, false
})

func flagField(name string, read func(c *frame, o any) (int, bool, bool)) field {
	return field{
		name: name, kind: kindInt,
		i: func(c *frame, o any) int64 {
			v, _, _ := read(c, o)
			return int64(v)
		},
		has: func(c *frame, o any) bool {
			_, ok, _ := read(c, o)
			return ok
		},
	}
}

var legacyRegsUSPrivacy = field{name: "us_privacy", kind: kindString, s: func(c *frame, _ any) string {
	c.chargeRegs()
	v, _, _ := legacy.USPrivacy(c.request)
	return v
}}

var legacyRegsGPP = field{name: "gpp", kind: kindString, s: func(c *frame, _ any) string {
	c.chargeRegs()
	v, _, _ := legacy.GPP(c.request)
	return v
}}

var legacyUserConsent = field{name: "consent", kind: kindString, s: func(c *frame, _ any) string {
	if u := c.request.User; u != nil {
		c.charge(len(u.Ext))
	}
	v, _ := legacy.TCF(c.request)
	return v
}}

func (c *frame) chargeRegs() {
	if r := c.request.Regs; r != nil {
		c.charge(len(r.Ext))
	}
}

var legacySiteInventoryPartnerDomain = field{name: "inventorypartnerdomain", kind: kindString, s: func(c *frame, o any) string {
	site := o.(*openrtb.Site)
	if site == nil {
		return ""
	}
	c.charge(len(site.Ext))
	v, _, _ := legacy.InventoryPartnerDomain(c.request)
	return v
}}

// Package legacy prefers the site if a request has both.
var legacyAppInventoryPartnerDomain = field{name: "inventorypartnerdomain", kind: kindString, s: func(c *frame, o any) string {
	app := o.(*openrtb.App)
	switch {
	case app == nil:
		return ""
	case app.InventoryPartnerDomain != "":
		return app.InventoryPartnerDomain
	}
	c.charge(len(app.Ext))
	v, _ := legacy.Text(app.Ext, "inventorypartnerdomain")
	return v
}}

var legacyDataCIDs = field{
	name: "cids", kind: kindString, list: true,
	n: func(_ *frame, o any) int {
		if d := o.(*openrtb.Data); d != nil {
			return len(d.CIDs)
		}
		return 0
	},
	sat: func(_ *frame, o any, i int) string { return o.(*openrtb.Data).CIDs[i] },
	values: func(c *frame, o any) []value {
		d := o.(*openrtb.Data)
		if d == nil || len(d.Ext) == 0 {
			return nil
		}
		list, _ := legacy.Member(d.Ext, "cids")
		old := c.raw(list)
		if old.kind != kindArray {
			return nil
		}
		l := c.elements(old)
		at, ok := c.reserve(len(d.CIDs) + l.n)
		if !ok {
			return nil
		}
		n := at
		for _, id := range d.CIDs {
			c.values[n] = stringValue(id)
			n++
		}
		for _, v := range l.values {
			if v.kind == kindString {
				c.values[n] = v
				n++
			}
		}
		return c.values[at:n]
	},
}

var legacyUserEIDs = field{
	name: "eids", kind: kindObject, object: objEID, list: true,
	n:   func(c *frame, _ any) int { return len(c.allEIDs()) },
	oat: func(c *frame, _ any, i int) any { return &c.allEIDs()[i] },
}

// allEIDs returns the eids of both places.
func (c *frame) allEIDs() []openrtb.EID {
	if !c.eidsRead {
		c.eidsRead, c.dirty = true, true
		if c.reader == nil {
			c.reader = legacy.NewReader()
		}
		if u := c.request.User; u != nil {
			c.charge(len(u.Ext))
		}
		field, ext, _ := c.reader.EIDs(c.request)
		c.eids = append(append(c.eids[:0], field...), ext...)
	}
	return c.eids
}

var legacySourceSChain = field{
	name: "schain", kind: kindObject, object: objSupplyChain,
	o:   func(c *frame, _ any) any { return c.supplyChain() },
	has: func(c *frame, _ any) bool { return c.supplyChain() != nil },
}

// supplyChain returns the supply chain. Where places have different chains, the nodes of all are
// in it, and it is complete only if all are.
func (c *frame) supplyChain() *openrtb.SupplyChain {
	if c.chainRead {
		return c.chainIs
	}
	c.chainRead, c.dirty = true, true
	if c.reader == nil {
		c.reader = legacy.NewReader()
	}
	if s := c.request.Source; s != nil {
		c.charge(len(s.Ext))
	}
	c.charge(len(c.request.Ext))
	all := c.reader.SChain(c.request)
	for _, chain := range [...]*openrtb.SupplyChain{all.Field, all.Source, all.Request} {
		if c.chainIs == nil {
			c.chainIs = chain
		}
	}
	if !all.SourceConflict && !all.RequestConflict {
		return c.chainIs
	}
	c.nodes, c.chain = append(c.nodes[:0], c.chainIs.Nodes...), *c.chainIs
	add := func(chain *openrtb.SupplyChain) {
		c.nodes = append(c.nodes, chain.Nodes...)
		if chain.Complete == nil || *chain.Complete != 1 {
			c.chain.Complete = chain.Complete
		}
	}
	if all.SourceConflict {
		add(all.Source)
	}
	if all.RequestConflict {
		add(all.Request)
	}
	c.chain.Nodes, c.chainIs = c.nodes, &c.chain
	return c.chainIs
}

var legacyRegsGPPSID = field{
	name: "gpp_sid", kind: kindInt, list: true,
	n:   func(c *frame, _ any) int { return len(c.gppSections()) },
	iat: func(c *frame, _ any, i int) int64 { return int64(c.sections[i]) },
}

// gppSections fills in c.sections.
func (c *frame) gppSections() []adcom.GPPSection {
	if !c.gppRead {
		c.gppRead, c.dirty = true, true
		c.sections, _ = legacy.GPPSID(c.sections[:0], c.request)
	}
	return c.sections
}
