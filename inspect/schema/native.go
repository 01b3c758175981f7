package schema

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// This file checks native payloads, the JSON documents inside imp.native.request and bid.adm. Both
// layers look at them as at a document of their own. Their findings point into the string: the path
// goes on after a "#" for each string that was entered, "/imp/0/native/request#/assets/1/img", and
// the offset points to the string in the document, because escapes make any other inexact.

// natives checks native payloads: it has layers, of which the payloads are the documents.
type natives struct {
	layers   layers
	watching watching // of the decoders
	requests *native.Decoder
	answers  *native.Decoder

	imp     *openrtb.Imp    // the one whose request is decoded; for pairs
	request *native.Request // nil if it can't be decoded
}

// payloads returns what checks the payloads of a document, nil if the rules about them are off.
func (e *embedded) payloads(f *findings) *natives {
	if !f.engine.payloads {
		return nil
	}
	if e.natives == nil {
		e.natives = new(natives)
	}
	p := e.natives
	p.layers.engine, p.layers.slow = f.engine, f.slow
	if p.watching.more(watching{others: f.engine.watching.others}) || p.requests == nil {
		opts := watch(p.watching.others)
		p.requests, p.answers = native.NewDecoder(opts...), native.NewDecoder(opts...)
	}
	return p
}

// nativeText is the object inside a string.
type nativeText struct {
	object   []byte
	twice    bool // the string was the value of another string
	wrapped  bool // the object was the member native of another one
	repeated bool // the wrapper has that member more than once
	odd      bool // the member is not an object
}

// nested reports whether there is one more member native, which the decoder would enter.
func (t *nativeText) nested() bool { return hasKey(t.object, "native") }

// mark is how the path goes on after that of the string.
func (t *nativeText) mark() string {
	mark := "#"
	if t.twice {
		mark = "##"
	}
	if t.wrapped {
		mark += "/native"
	}
	return mark
}

// nativeTextOf enters a JSON object, and the wrapper of version 1.0.
func nativeTextOf(object []byte, twice bool) nativeText {
	t := nativeText{object: object, twice: twice}
	if !mayHave(object, "native") {
		return t
	}
	if inner, times := lastMember(object, "native"); times > 0 && inner[0] != 'n' {
		t.object, t.wrapped, t.repeated, t.odd = inner, true, times > 1, inner[0] != '{'
	}
	return t
}

// encodedTwice returns the object in a string that is the value of another string.
func encodedTwice(c *values, value []byte) (object []byte, ok bool) {
	s := scanner(value)
	s.Space()
	if s.Peek() != '"' || !c.engine.payloads && !c.engine.on(ruleNativeRequestTwice) {
		return nil, false
	}
	text, ok := s.String()
	if !ok {
		return nil, false
	}
	object, _, ok = c.json.read(grammar.Unescape(text))
	return object, ok
}

// nativeRequestText checks the payload of an impression.
func nativeRequestText(c *values, v *openrtb.Native, t nativeText) {
	p := c.json.payloads(&c.findings)
	if p == nil {
		return
	}
	q := &p.layers
	q.begin(t.object, nil)
	q.docs[Request].root = objNativeRequest
	if wrapper(&q.findings, &t) {
		if r := p.decodeRequest(&t); r != nil {
			// NativeRequest.root
			if t.wrapped && !oldNative(r.Ver) && !oldNative(v.Ver) && !(formatMajorMinor(v.Ver) && c.covered(ruleNativeRequestRoot, ruleNativeRequestRoot11)) {
				q.reportHere(ruleNativeRequestRoot)
			}
			checkNativeRequest(&q.values, r)
		}
		p.requests.Reset()
	}
	c.absorb(q.finish(), fNativeRequest, &t)
}

// plainNative checks the payload of an impression and reports true if it is what most are: an
// object without a wrapper that the decoder accepts.
func plainNative(c *values, v *openrtb.Native) bool {
	p := c.json.payloads(&c.findings)
	if p == nil || c.slow {
		return false
	}
	t := nativeText{object: c.json.bytesOf(v.Request)}
	if !isObject(t.object) || mayHave(t.object, "native") {
		return false
	}
	q := &p.layers
	q.begin(t.object, nil)
	q.docs[Request].root = objNativeRequest
	r, _, err := p.requests.Request(t.object)
	fine := err == nil && q.textIsFine(Request, objNativeRequest, p.requests.Notes(), p.watching.others)
	if fine {
		// Native.request.root10
		if v.Ver == "1.0" {
			c.report(ruleNativeRequestRoot10, fNativeRequest)
		}
		checkNativeRequest(&q.values, r)
		c.absorb(q.finish(), fNativeRequest, &t)
	}
	p.requests.Reset()
	return fine
}

// decodeRequest decodes a request like Checker.decodeRequest.
func (p *natives) decodeRequest(t *nativeText) *native.Request {
	q := &p.layers
	if !q.slow && !t.nested() {
		r, _, err := p.requests.Request(t.object)
		if err == nil && q.textIsFine(Request, objNativeRequest, p.requests.Notes(), p.watching.others) {
			return r
		}
	}
	if !q.text(Request, objNativeRequest) {
		return nil
	}
	r, _, err := p.requests.Request(q.docs[Request].decodable())
	if err != nil {
		q.undecodable(Request, err)
		return nil
	}
	return r
}

// decodeAd is decodeRequest for an ad.
func (p *natives) decodeAd(t *nativeText) *native.Response {
	q := &p.layers
	if !q.slow && !t.nested() {
		r, _, err := p.answers.Response(t.object)
		if err == nil && q.textIsFine(Request, objNativeResponse, p.answers.Notes(), p.watching.others) {
			return r
		}
	}
	if !q.text(Request, objNativeResponse) {
		return nil
	}
	r, _, err := p.answers.Response(q.docs[Request].decodable())
	if err != nil {
		q.undecodable(Request, err)
		return nil
	}
	return r
}

// wrapper checks the wrapper of a payload, and reports whether there is an object in it.
func wrapper(f *findings, t *nativeText) bool {
	if t.repeated {
		f.reportHere(ruleAnyDuplicateKey)
	}
	if severity := f.engine.severity[ruleAnyType]; t.odd && severity != Off && f.reserve(severity) {
		f.add(ruleAnyType, severity, "", -1, typeExpected[kindObject])
	}
	return !t.odd
}

// oldNative reports whether a version of the native specification wraps its payloads.
func oldNative(ver string) bool { return formatMajorMinor(ver) && versionBelow(ver, 1, 1) }

// nativeAd checks the payload of a bid.
func nativeAd(c *values, t nativeText) {
	p := c.json.payloads(&c.findings)
	if p == nil {
		return
	}
	q := &p.layers
	q.begin(t.object, nil)
	q.docs[Request].root = objNativeResponse
	if wrapper(&q.findings, &t) {
		if r := p.decodeAd(&t); r != nil {
			checkNativeResponse(&q.values, r)
		}
		p.answers.Reset()
	}
	c.absorb(q.finish(), fBidAdM, &t)
}

// absorb takes over the findings about the payload in a field of the current object.
func (f *findings) absorb(r Report, field fieldID, t *nativeText) {
	if r.Counts == [Error + 1]int{} {
		return
	}
	base, offset := "", -1
	if !f.engine.placeless {
		f.enter(field, noIndex)
		base, offset = f.pointer()+t.mark(), f.locate()
		f.leave()
	}
	for _, inner := range r.Findings {
		r.Counts[inner.Severity]--
		if f.reserve(inner.Severity) {
			f.add(ruleID(inner.Number), inner.Severity, base+inner.Path, offset, inner.Message)
		}
	}
	for s, n := range r.Counts { // those that the other checker has dropped
		f.found.Counts[s] += n
	}
	f.found.Dropped += r.Dropped
}

func nativeRequestRules(c *values, v *native.Request) {
	// NativeRequest.context.subtype
	const private = 500 // codes from here on are vendors' own
	if s := v.ContextSubtype; s != nil && *s < private && v.Context != nil && *v.Context < private && int(*s)/10 != int(*v.Context) {
		c.report(ruleNativeRequestContextSubtype, fNativeRequestContextSubtype)
	}
	// NativeAssetRequest.id.unique, NativeRequest.assets.ids
	ids := c.numbers[:0]
	for i := range v.Assets {
		if id := v.Assets[i].ID; id != nil {
			ids = append(ids, numbered{*id, i})
		}
	}
	slices.SortFunc(ids, func(a, b numbered) int { return cmp.Or(cmp.Compare(a.id, b.id), a.at-b.at) })
	for i := 1; i < len(ids); i++ {
		if ids[i].id == ids[i-1].id {
			c.enter(fNativeRequestAssets, ids[i].at)
			c.report(ruleNativeAssetRequestIdUnique, fNativeAssetRequestID)
			c.leave()
		}
	}
	c.numbers = ids
	without := len(v.Assets) - len(ids)
	if without != 0 && without != len(v.Assets) && !silentNativeRequestAssetsIds(c, v) {
		c.report(ruleNativeRequestAssetsIds, fNativeRequestAssets)
	}
}

func nativeAssetRequestRules(c *values, v *native.AssetRequest) {
	// NativeAssetRequest.one
	if kinds := count(v.Title != nil, v.Img != nil, v.Video != nil, v.Data != nil); kinds != 1 {
		c.reportHere(ruleNativeAssetRequestOne, fNativeAssetRequestTitle, fNativeAssetRequestImg, fNativeAssetRequestVideo, fNativeAssetRequestData)
	}
}

// count returns how many of the conditions hold.
func count(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// numbered is an id and the index of the element that has it.
type numbered struct{ id, at int }

// isNativeAd reports whether the markup of a bid may be a native payload, as far as the bid alone
// tells: by its mtype, without one by the brace that it begins with; then looksNative decides.
func isNativeAd(bid *openrtb.Bid) bool {
	if given(bid.MType) {
		return *bid.MType == adcom.MarkupTypeNative
	}
	for i := range len(bid.AdM) {
		if b := bid.AdM[i]; !grammar.IsSpace(b) {
			return b == '{'
		}
	}
	return false
}

// looksNative reports whether an object has a member that native ads have and other markup in JSON,
// such as the settings of a player, has not.
func looksNative(object []byte) (is bool) {
	eachMember(object, func(key, _ []byte) bool {
		switch string(key) {
		case "native", "assets", "assetsurl", "dcourl", "link":
			is = true
		}
		return !is
	})
	return is
}

// native checks a native ad against the request that it answers.
func (c *pairs) native(bid *openrtb.Bid, o *offer, object []byte) {
	p := c.json.payloads(c.findings)
	if p == nil {
		return
	}
	r := p.requestOf(&c.lists, o.imp)
	if r == nil {
		return
	}
	t := nativeTextOf(object, false)
	ad, _, err := p.answers.Response(t.object)
	if err == nil && c.lists.cheap(len(ad.Assets)*len(r.Assets)+len(ad.EventTrackers)*len(r.EventTrackers)) {
		q := &p.layers
		q.begin(nil, nil)
		nativeAnswer(&q.findings, r, ad)
		c.absorb(q.finish(), fBidAdM, &t)
	}
	p.answers.Reset()
}

// requestOf decodes the native request of an impression, nil if that fails. The bids on one
// impression share the result. What all impressions of a pair may cost together is bounded.
func (p *natives) requestOf(lists *lookups, imp *openrtb.Imp) *native.Request {
	if p.imp == imp {
		return p.request
	}
	p.imp, p.request = imp, nil
	text := imp.Native.Request
	if !lists.cheap(len(text)) {
		return nil
	}
	if object, _, ok := p.layers.json.read(text); ok {
		t := nativeTextOf(object, false)
		if r, _, err := p.requests.Request(t.object); err == nil {
			p.request = r
		}
	}
	return p.request
}

// forget drops the request of a pair.
func (p *natives) forget() {
	if p != nil && p.imp != nil {
		p.imp, p.request = nil, nil
		p.requests.Reset()
	}
}

// nativeAnswer holds the rules about a native request and the ad that answers it.
func nativeAnswer(c *findings, r *native.Request, ad *native.Response) {
	// NativeResponse.aurl.support
	if ad.AssetsURL != "" && !is(r.AURLSupport, 1) {
		c.report(ruleNativeResponseAurlSupport, fNativeResponseAssetsURL)
	}
	if ad.DCOURL != "" && !is(r.DURLSupport, 1) {
		c.report(ruleNativeResponseAurlSupport, fNativeResponseDCOURL)
	}
	// NativeResponse.privacy.support
	if ad.Privacy != "" && !is(r.Privacy, 1) {
		c.report(ruleNativeResponsePrivacySupport, fNativeResponsePrivacy)
	}
	for i := range ad.Assets {
		a := &ad.Assets[i]
		if a.ID == nil {
			continue
		}
		asked := r.Asset(*a.ID)
		c.enter(fNativeResponseAssets, i)
		// NativeAssetResponse.id.ref
		if asked == nil || a.Title != nil && asked.Title == nil || a.Img != nil && asked.Img == nil || a.Video != nil && asked.Video == nil || a.Data != nil && asked.Data == nil {
			c.report(ruleNativeAssetResponseIdRef, fNativeAssetResponseID)
		} else if a.Title != nil && asked.Title.Len != nil && utf8.RuneCountInString(a.Title.Text) > *asked.Title.Len {
			// NativeTitleResponse.len
			c.enter(fNativeAssetResponseTitle, noIndex)
			c.report(ruleNativeTitleResponseLen, fNativeTitleResponseText)
			c.leave()
		}
		c.leave()
	}
	// NativeAssetResponse.required
	if ad.AssetsURL == "" && ad.DCOURL == "" {
		for i := range r.Assets {
			if a := &r.Assets[i]; is(a.Required, 1) && a.ID != nil && ad.Asset(*a.ID) == nil {
				c.report(ruleNativeAssetResponseRequired, fNativeResponseAssets)
				break
			}
		}
	}
	// NativeEventTrackerResponse.offered
	for i := range ad.EventTrackers {
		if t := &ad.EventTrackers[i]; t.Event != nil && t.Method != nil && !offered(r, *t.Event, *t.Method) {
			c.enter(fNativeResponseEventTrackers, i)
			c.report(ruleNativeEventTrackerResponseOffered, fNativeEventTrackerResponseMethod)
			c.leave()
		}
	}
}

// offered reports whether a request allows to track an event by a method.
func offered(r *native.Request, event adcom.NativeEventType, method adcom.NativeEventTrackingMethod) bool {
	for i := range r.EventTrackers {
		if t := &r.EventTrackers[i]; is(t.Event, event) {
			if slices.Contains(t.Methods, method) {
				return true
			}
		}
	}
	return false
}
