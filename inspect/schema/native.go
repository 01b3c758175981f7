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
// layers look at them as at a document of their own. Their findings point into the string: the
// path goes on after a "#" for each string that was entered, "/imp/0/native/request#/assets/1/img",
// and the offset is that of the string in the document, because escapes make any other inexact.

// payload is the working memory for native payloads.
type payload struct {
	checker  Checker // its documents are the payloads
	requests *native.Decoder
	answers  *native.Decoder

	imp     *openrtb.Imp    // the one whose request is decoded; for pairs
	request *native.Request // nil if it can't be decoded
}

// payloads returns the working memory, nil if the rules of native payloads are off.
func (c *Checker) payloads() *payload {
	if !c.engine.payloads {
		return nil
	}
	if c.payload == nil {
		c.payload = new(payload)
	}
	p := c.payload
	q := &p.checker
	q.engine, q.slow = c.engine, c.slow
	if q.watching.more(watching{others: q.engine.watching.others}) || p.requests == nil {
		opts := watch(q.watching.others)
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
func (c *Checker) encodedTwice(value []byte) (object []byte, ok bool) {
	s := scanner(value)
	s.Space()
	if s.Peek() != '"' || !c.engine.payloads && !c.engine.on(ruleNativeRequestTwice) {
		return nil, false
	}
	text, ok := s.String()
	if !ok {
		return nil, false
	}
	object, _, ok = c.embedded(grammar.Unescape(text))
	return object, ok
}

// nativeRequestText checks the payload of an impression.
func (c *Checker) nativeRequestText(v *openrtb.Native, t nativeText) {
	p := c.payloads()
	if p == nil {
		return
	}
	q := &p.checker
	q.begin(t.object, nil)
	q.docs[Request].root = objNativeRequest
	if q.wrapper(&t) {
		if r := p.decodeRequest(&t); r != nil {
			// NativeRequest.root
			if t.wrapped && !oldNative(r.Ver) && !oldNative(v.Ver) && !(formatMajorMinor(v.Ver) && c.covered(ruleNativeRequestRoot, ruleNativeRequestRoot11)) {
				q.reportHere(ruleNativeRequestRoot)
			}
			q.nativeRequest(r)
		}
		p.requests.Reset()
	}
	c.absorb(q, fNativeRequest, &t)
}

// plainNative checks the payload of an impression and reports true if it is what most are: an
// object without a wrapper that the decoder accepts.
func (c *Checker) plainNative(v *openrtb.Native) bool {
	p := c.payloads()
	if p == nil || c.slow {
		return false
	}
	t := nativeText{object: c.bytesOf(v.Request)}
	if !isObject(t.object) || mayHave(t.object, "native") {
		return false
	}
	q := &p.checker
	q.begin(t.object, nil)
	q.docs[Request].root = objNativeRequest
	r, _, err := p.requests.Request(t.object)
	fine := err == nil && q.textIsFine(Request, objNativeRequest, p.requests.Notes(), q.watching.others)
	if fine {
		// Native.request.root10
		if v.Ver == "1.0" {
			c.report(ruleNativeRequestRoot10, fNativeRequest)
		}
		q.nativeRequest(r)
		c.absorb(q, fNativeRequest, &t)
	}
	p.requests.Reset()
	return fine
}

// decodeRequest decodes a request like [Checker.decodeRequest].
func (p *payload) decodeRequest(t *nativeText) *native.Request {
	q := &p.checker
	if !q.slow && !t.nested() {
		r, _, err := p.requests.Request(t.object)
		if err == nil && q.textIsFine(Request, objNativeRequest, p.requests.Notes(), q.watching.others) {
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
func (p *payload) decodeAd(t *nativeText) *native.Response {
	q := &p.checker
	if !q.slow && !t.nested() {
		r, _, err := p.answers.Response(t.object)
		if err == nil && q.textIsFine(Request, objNativeResponse, p.answers.Notes(), q.watching.others) {
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
func (c *Checker) wrapper(t *nativeText) bool {
	if t.repeated {
		c.reportHere(ruleAnyDuplicateKey)
	}
	if severity := c.engine.severity[ruleAnyType]; t.odd && severity != Off && c.room(severity) {
		c.add(ruleAnyType, severity, "", -1, typeExpected[kindObject])
	}
	return !t.odd
}

// oldNative reports whether a version of the native specification wraps its payloads.
func oldNative(ver string) bool { return formatMajorMinor(ver) && versionBelow(ver, 1, 1) }

// nativeAd checks the payload of a bid.
func (c *Checker) nativeAd(t nativeText) {
	p := c.payloads()
	if p == nil {
		return
	}
	q := &p.checker
	q.begin(t.object, nil)
	q.docs[Request].root = objNativeResponse
	if q.wrapper(&t) {
		if r := p.decodeAd(&t); r != nil {
			q.nativeResponse(r)
		}
		p.answers.Reset()
	}
	c.absorb(q, fBidAdM, &t)
}

// absorb takes over the findings about the payload in a field of the current object.
func (c *Checker) absorb(q *Checker, field fieldID, t *nativeText) {
	r := q.finish()
	if r.Counts == [Error + 1]int{} {
		return
	}
	base, offset := "", -1
	if !c.engine.placeless {
		c.enter(field, noIndex)
		base, offset = c.pointer()+t.mark(), c.locate()
		c.leave()
	}
	for _, f := range r.Findings {
		r.Counts[f.Severity]--
		if c.room(f.Severity) {
			c.add(f.rule, f.Severity, base+f.Path, offset, f.Message)
		}
	}
	for s, n := range r.Counts { // those that the other checker has dropped
		c.found.Counts[s] += n
	}
	c.found.Dropped += r.Dropped
}

func (c *Checker) nativeRequestRules(v *native.Request) {
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
	if without != 0 && without != len(v.Assets) && !c.silentNativeRequestAssetsIds(v) {
		c.report(ruleNativeRequestAssetsIds, fNativeRequestAssets)
	}
}

func (c *Checker) nativeAssetRequestRules(v *native.AssetRequest) {
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

// nativePair checks a native ad against the request that it answers.
func (c *Checker) nativePair(bid *openrtb.Bid, o *offer, object []byte) {
	p := c.payloads()
	if p == nil {
		return
	}
	r := p.requestOf(c, o.imp)
	if r == nil {
		return
	}
	t := nativeTextOf(object, false)
	ad, _, err := p.answers.Response(t.object)
	if err == nil && c.lists.cheap(len(ad.Assets)*len(r.Assets)+len(ad.EventTrackers)*len(r.EventTrackers)) {
		q := &p.checker
		q.begin(nil, nil)
		q.nativeAnswer(r, ad)
		c.absorb(q, fBidAdM, &t)
	}
	p.answers.Reset()
}

// requestOf decodes the native request of an impression, nil if that fails. The bids on one
// impression share the result. What all impressions of a pair may cost together is bounded.
func (p *payload) requestOf(c *Checker, imp *openrtb.Imp) *native.Request {
	if p.imp == imp {
		return p.request
	}
	p.imp, p.request = imp, nil
	text := imp.Native.Request
	if !c.lists.cheap(len(text)) {
		return nil
	}
	if object, _, ok := p.checker.embedded(text); ok {
		t := nativeTextOf(object, false)
		if r, _, err := p.requests.Request(t.object); err == nil {
			p.request = r
		}
	}
	return p.request
}

// forget drops the request of a pair.
func (p *payload) forget() {
	if p != nil && p.imp != nil {
		p.imp, p.request = nil, nil
		p.requests.Reset()
	}
}

// nativeAnswer holds the rules about a native request and the ad that answers it.
func (c *Checker) nativeAnswer(r *native.Request, ad *native.Response) {
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
