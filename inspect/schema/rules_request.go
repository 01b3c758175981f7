package schema

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/address"
	"github.com/rtbwire/rtbwire/internal/consent"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file holds the rules of the request that are written by hand: those that look outside
// their own object, and those whose check the data only words. The generated function of an
// object calls the one here.

// is reports whether an optional value is there and equals want.
func is[T comparable](v *T, want T) bool { return v != nil && *v == want }

// isFlag is [is] for the flags whose list gives them a type.
func isFlag[T ~int](v *T) bool { return v != nil && *v == 1 }

func bidRequestRules(c *values, v *openrtb.BidRequest) {
	if c.engine.on(ruleBidRequestImpIdUnique) {
		repeats(&c.seen, v.Imp, func(imp *openrtb.Imp) string { return imp.ID }, func(i int) {
			if v.Imp[i].ID != "" {
				c.enter(fBidRequestImp, i)
				c.report(ruleBidRequestImpIdUnique, fImpID)
				c.leave()
			}
		})
	}
	if c.engine.on(ruleBidRequestCurUnique) {
		repeats(&c.seen, v.Cur, func(cur *string) string { return *cur }, func(i int) {
			c.reportElem(ruleBidRequestCurUnique, fBidRequestCur, i)
		})
	}
	if c.engine.on(ruleImpPodConsistent) && len(v.Imp) > 1 {
		podsConsistent(c, v)
	}
	if c.engine.chains && (len(v.Ext) != 0 || v.Source != nil && len(v.Source.Ext) != 0) {
		legacyChains(c, v)
	}
}

// podsConsistent is Imp.pod.consistent: impressions of one pod share podseq and media type. It
// compares each impression with the first of its pod.
func podsConsistent(c *values, v *openrtb.BidRequest) {
	type pod struct {
		id    string
		seq   adcom.PodSequence
		video bool
	}
	of := func(imp *openrtb.Imp) (p pod) {
		var seq *adcom.PodSequence
		switch {
		case imp.Video != nil && imp.Video.PodID != "":
			p.id, seq, p.video = imp.Video.PodID, imp.Video.PodSeq, true
		case imp.Audio != nil:
			p.id, seq = imp.Audio.PodID, imp.Audio.PodSeq
		}
		if seq != nil {
			p.seq = *seq
		}
		return p
	}
	c.seen.reset()
	for i := range v.Imp {
		p := of(&v.Imp[i])
		first := c.seen.earlier(p.id)
		if p.id == "" || first < 0 || of(&v.Imp[first]) == p {
			continue
		}
		media, field := fImpAudio, fAudioPodID
		if p.video {
			media, field = fImpVideo, fVideoPodID
		}
		c.enter(fBidRequestImp, i)
		c.enter(media, noIndex)
		c.report(ruleImpPodConsistent, field)
		c.leave()
		c.leave()
	}
}

func regsRules(c *values, v *openrtb.Regs) {
	// Regs.gdpr.consent, Regs.gdpr.gpp_sid
	if c.engine.on(ruleRegsGdprConsent) || c.engine.on(ruleRegsGdprGppSid) && (len(v.GPPSID) != 0 || mayHave(v.Ext, "gpp_sid")) {
		if gdpr, ok, _ := legacy.GDPR(c.at.request); ok {
			gdprRules(c, v, gdpr)
		}
	}
	// Regs.gpp_sid.one
	if len(v.GPPSID) > 1 {
		c.report(ruleRegsGppSidOne, fRegsGPPSID)
	}
	if len(v.Ext) != 0 {
		legacyRegs(c, v)
	}
	// Regs.gpp.header
	if v.GPP != "" && c.engine.on(ruleRegsGppHeader) && !consent.GPP(v.GPP) && !silentRegsGppHeader(c, v) {
		c.report(ruleRegsGppHeader, fRegsGPP)
	}
}

// gdprRules holds the rules about other members that go with gdpr.
func gdprRules(c *values, v *openrtb.Regs, gdpr int) {
	if u := c.at.request.User; gdpr == 1 && (u == nil || u.Consent == "" && !hasText(u.Ext, "consent")) {
		c.reportAt(ruleRegsGdprConsent, step{fBidRequestUser, noIndex}, step{fUserConsent, noIndex})
	}
	if (gdpr == 0 || gdpr == 1) && c.engine.on(ruleRegsGdprGppSid) {
		if there, tcf := gppLists(c, gppTCF); there && tcf != (gdpr == 1) {
			c.report(ruleRegsGdprGppSid, fRegsGDPR)
		}
	}
}

// looksLikeSeconds reports whether a time, read as seconds, is a plausible one.
func looksLikeSeconds(t float64) bool { return formatEpochMilliseconds(t * 1000) }

// hasText reports whether an ext has a string that is not empty.
func hasText(ext []byte, name string) bool {
	s, _ := legacy.Text(ext, name)
	return s != ""
}

func impRules(c *values, v *openrtb.Imp) {
	if len(v.Ext) != 0 {
		legacyRewarded(c, v)
	}
}

func metricRules(c *values, v *openrtb.Metric) {
	// Metric.probability
	if v.Value == nil || *v.Value >= 0 && *v.Value <= 1 {
		return
	}
	if v.Type == "viewability" || v.Type == "click_through_rate" || strings.HasSuffix(v.Type, "_rate") {
		c.report(ruleMetricProbability, fMetricValue)
	}
}

// companionIDs is Banner.companion.id.unique, among the companions of one video or audio.
func companionIDs(c *values, banners []openrtb.Banner, field fieldID) {
	repeats(&c.seen, banners, func(b *openrtb.Banner) string { return b.ID }, func(i int) {
		if banners[i].ID != "" {
			c.enter(field, i)
			c.report(ruleBannerCompanionIdUnique, fBannerID)
			c.leave()
		}
	})
}

func videoRules(c *values, v *openrtb.Video) { companionIDs(c, v.CompanionAd, fVideoCompanionAd) }
func audioRules(c *values, v *openrtb.Audio) { companionIDs(c, v.CompanionAd, fAudioCompanionAd) }

func nativeRules(c *values, v *openrtb.Native) {
	if v.Request == "" || plainNative(c, v) {
		return
	}
	object, isJSON, isObject := c.json.read(v.Request)
	if !isObject {
		// Native.request.json, Native.request.format; the one that fits better comes first
		if isJSON {
			c.report(ruleNativeRequestJson, fNativeRequest)
		}
		if !silentNativeRequestFormat(c, v) {
			c.report(ruleNativeRequestFormat, fNativeRequest)
		}
		if !isJSON && !silentNativeRequestJson(c, v) {
			c.report(ruleNativeRequestJson, fNativeRequest)
		}
		// Native.request.twice
		if isJSON {
			if inner, ok := encodedTwice(c, object); ok {
				c.report(ruleNativeRequestTwice, fNativeRequest)
				nativeRequestText(c, v, nativeTextOf(inner, true))
			}
		}
		return
	}
	// Native.request.root10, Native.request.root11
	if c.engine.on(ruleNativeRequestRoot10) || c.engine.on(ruleNativeRequestRoot11) {
		wrapped := hasKey(object, "native")
		if v.Ver == "1.0" && !(wrapped && onlyKey(object, "native")) {
			c.report(ruleNativeRequestRoot10, fNativeRequest)
		}
		if wrapped && formatMajorMinor(v.Ver) && !versionBelow(v.Ver, 1, 1) {
			c.report(ruleNativeRequestRoot11, fNativeRequest)
		}
	}
	if c.engine.payloads {
		nativeRequestText(c, v, nativeTextOf(object, false))
	}
}

// versionBelow reports whether s, in the format major.minor, is below a version.
func versionBelow(s string, major, minor int) bool {
	a, b, _ := strings.Cut(s, ".")
	return number(a) < major || number(a) == major && number(b) < minor
}

// number parses digits. It stops at numbers that are larger than any version.
func number(digits string) (n int) {
	for _, d := range digits {
		if n = n*10 + int(d-'0'); n > 1<<20 {
			break
		}
	}
	return n
}

func pmpRules(c *values, v *openrtb.Pmp) {
	// Pmp.private.deals
	if isFlag(v.PrivateAuction) && len(v.Deals) == 0 {
		c.report(rulePmpPrivateDeals, fPmpDeals)
	}
	// Pmp.deals.unique
	if c.engine.on(rulePmpDealsUnique) {
		repeats(&c.seen, v.Deals, func(d *openrtb.Deal) string { return d.ID }, func(i int) {
			if v.Deals[i].ID != "" {
				c.enter(fPmpDeals, i)
				c.report(rulePmpDealsUnique, fDealID)
				c.leave()
			}
		})
	}
}

func dealRules(c *values, v *openrtb.Deal) {
	// Deal.at3.floor
	if is(v.At, adcom.DealAuctionTypeFixedPrice) && (v.BidFloor == nil || *v.BidFloor <= 0) && !silentDealAt3Floor(c, v) {
		c.report(ruleDealAt3Floor, fDealBidFloor)
	}
}

func appRules(c *values, v *openrtb.App) {
	// App.bundle.store: package names and store ids use few characters; a title, a URL or a
	// list of ids uses others.
	if c.engine.on(ruleAppBundleStore) && !storeID.all(v.Bundle) {
		c.report(ruleAppBundleStore, fAppBundle)
	}
	legacyPartner(c, v.InventoryPartnerDomain, v.Ext, fAppExt, ruleAppInventorypartnerdomainFormat, ruleAppInventorypartnerdomainConflict)
}

func deviceRules(c *values, v *openrtb.Device) {
	// Device.ip.public
	if c.engine.on(ruleDeviceIpPublic) {
		if a, ok := address.Parse4(v.IP); ok && notPublic(address.ClassOf4(a)) {
			c.report(ruleDeviceIpPublic, fDeviceIP)
		}
		if a, ok := address.Parse(v.IPv6); ok && notPublic(address.ClassOf(a)) && formatIpv6(v.IPv6) {
			c.report(ruleDeviceIpPublic, fDeviceIPv6)
		}
	}
}

// notPublic reports whether no device on the internet has addresses of a class. Those for
// documentation are left out: no device has them either, but examples and tests do, and a warning
// about each of them would not help.
func notPublic(c address.Class) bool { return c != address.Public && c != address.Documentation }

func geoRules(c *values, v *openrtb.Geo) {
	// Geo.latlon.null-island
	if is(v.Lat, 0) && is(v.Lon, 0) {
		c.reportHere(ruleGeoLatlonNullIsland)
	}
	// Geo.region.usa
	if v.Country == "USA" && v.Region != "" && !(len(v.Region) == 2 && upper.all(v.Region)) {
		c.report(ruleGeoRegionUsa, fGeoRegion)
	}
	// Geo.regionfips104.withdrawn
	if v.RegionFIPS104 != "" {
		c.report(ruleGeoRegionfips104Withdrawn, fGeoRegionFIPS104)
	}
}

// geoOfScreen reports whether v is the place of a DOOH screen. Sections 7.9 and 3.2.32 ask for more
// there than elsewhere.
func geoOfScreen(c *values, v *openrtb.Geo) bool {
	r := c.at.request
	return r.DOOH != nil && r.Device != nil && r.Device.Geo == v
}

func userRules(c *values, v *openrtb.User) {
	// User.consent.header
	if c.engine.on(ruleUserConsentHeader) && v.Consent != "" && !consent.TCF(v.Consent) && !silentUserConsentHeader(c, v) {
		c.report(ruleUserConsentHeader, fUserConsent)
	}
	// User.consent.gpp
	if c.engine.on(ruleUserConsentGpp) {
		consentInGPP(c)
	}
	if len(v.Ext) != 0 {
		legacyUser(c, v)
	}
}

// gppTCF is the section of a GPP string, and the entry of gpp_sid, for TCF in the EU.
const gppTCF = adcom.GPPSectionTCFEUV2

// consentInGPP is User.consent.gpp.
func consentInGPP(c *values) {
	if regs := c.at.request.Regs; regs == nil || regs.GPP == "" && !mayHave(regs.Ext, "gpp") {
		return // before reading the consent
	}
	sent, ok, _ := legacy.Consent(c.at.request)
	if !ok {
		return
	}
	gpp, _, _ := legacy.GPP(c.at.request)
	if tcf, ok := consent.Section(gpp, int(gppTCF)); ok && tcf != sent {
		c.report(ruleUserConsentGpp, fUserConsent)
	}
}

func dataRules(c *values, v *openrtb.Data) {
	// Data.cids.context
	if c.at.userData && len(v.CIDs) != 0 {
		c.report(ruleDataCidsContext, fDataCIDs)
	}
	legacyCIDs(c, v)
}

func supplyChainRules(c *values, v *openrtb.SupplyChain) {
	chainNodesUnique(c, v.Nodes)
	// SupplyChain.sender
	if n := len(v.Nodes); n > 0 {
		sid := v.Nodes[n-1].SID
		if p := publisher(c.at.request); p != nil && p.ID != "" && sid != "" && sid != p.ID {
			c.enter(fSupplyChainNodes, n-1)
			c.report(ruleSupplyChainSender, fSupplyChainNodeSID)
			c.leave()
		}
	}
}

// nodesMax bounds the chains whose nodes are compared with each other.
const nodesMax = 128

// chainNodesUnique is SupplyChain.nodes.unique.
func chainNodesUnique(c *values, nodes []openrtb.SupplyChainNode) {
	if len(nodes) > nodesMax || !c.engine.on(ruleSupplyChainNodesUnique) {
		return
	}
	for i := range nodes {
		n := &nodes[i]
		if n.ASI != "" && slices.ContainsFunc(nodes[:i], func(o openrtb.SupplyChainNode) bool { return o.SID == n.SID && equalFold(o.ASI, n.ASI) }) {
			c.enter(fSupplyChainNodes, i)
			c.report(ruleSupplyChainNodesUnique, fSupplyChainNodeASI)
			c.leave()
		}
	}
}

// lowercase reports whether s has no capital ASCII letter.
func lowercase(s string) bool {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

// bare reports whether s is a name without scheme, port and path, whether or not it is a domain.
func bare(s string) bool { return !strings.ContainsAny(s, ":/?#@") }

// publisher returns the publisher of the site, the app or the screen.
func publisher(r *openrtb.BidRequest) *openrtb.Publisher {
	switch {
	case r.Site != nil:
		return r.Site.Publisher
	case r.App != nil:
		return r.App.Publisher
	case r.DOOH != nil:
		return r.DOOH.Publisher
	}
	return nil
}

func supplyChainNodeRules(c *values, v *openrtb.SupplyChainNode) {
	// SupplyChainNode.hp.v1
	if c.at.chain.Ver == "1.0" && v.HP != nil && *v.HP != 1 && !silentSupplyChainNodeHpV1(c, v) {
		c.report(ruleSupplyChainNodeHpV1, fSupplyChainNodeHP)
	}
}

func doohRules(c *values, _ *openrtb.DOOH) {
	r := c.at.request
	device := step{fBidRequestDevice, noIndex}
	geo := step{fDeviceGeo, noIndex}
	// DOOH.device.type
	if d := r.Device; d != nil && d.DeviceType != nil && *d.DeviceType != adcom.DeviceTypeOOH {
		c.reportAt(ruleDOOHDeviceType, device, step{fDeviceDeviceType, noIndex})
	}
	// DOOH.device.geo, DOOH.device.geotype
	var g openrtb.Geo
	if r.Device != nil && r.Device.Geo != nil {
		g = *r.Device.Geo
	}
	if g.Lat == nil {
		c.reportAt(ruleDOOHDeviceGeo, device, geo, step{fGeoLat, noIndex})
	}
	if g.Lon == nil {
		c.reportAt(ruleDOOHDeviceGeo, device, geo, step{fGeoLon, noIndex})
	}
	if g.Type == nil {
		c.reportAt(ruleDOOHDeviceGeotype, device, geo, step{fGeoType, noIndex})
	}
}
