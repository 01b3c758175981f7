package schema

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// This file compares the value layer with its reference, which has no filters and no plan: it
// evaluates all rules of all objects, one by one, and lets the severities decide what is reported.

// slowObject is how the reference checks one type of object.
type slowObject struct {
	id    objectID
	note  func(a *around, v any) // nil if the object notes nothing
	check func(c *values, v any)
}

// slowly makes the entry of a type. check is the function of all its rules: the generated one, or
// the one by hand if there are no others.
func slowly[T any](id objectID, note func(*around, *T), check func(*values, *T)) (reflect.Type, slowObject) {
	object := slowObject{id: id, check: func(c *values, v any) { check(c, v.(*T)) }}
	if note != nil {
		object.note = func(a *around, v any) { note(a, v.(*T)) }
	}
	return reflect.TypeFor[T](), object
}

// slowObjects are all objects that have rules.
var slowObjects = func() map[reflect.Type]slowObject {
	m := map[reflect.Type]slowObject{}
	add := func(t reflect.Type, o slowObject) { m[t] = o }
	add(slowly(objBidRequest, (*around).noteBidRequest, bidRequestFindings))
	add(slowly(objSource, nil, sourceFindings))
	add(slowly(objRegs, nil, regsFindings))
	add(slowly(objImp, (*around).noteImp, impFindings))
	add(slowly(objMetric, nil, metricFindings))
	add(slowly(objBanner, nil, bannerFindings))
	add(slowly(objVideo, (*around).noteVideo, videoFindings))
	add(slowly(objAudio, (*around).noteAudio, audioFindings))
	add(slowly(objNative, nil, nativeFindings))
	add(slowly(objFormat, nil, formatFindings))
	add(slowly(objPmp, nil, pmpFindings))
	add(slowly(objDeal, nil, dealFindings))
	add(slowly(objSite, nil, siteFindings))
	add(slowly(objApp, nil, appFindings))
	add(slowly(objPublisher, nil, publisherFindings))
	add(slowly(objContent, nil, contentFindings))
	add(slowly(objProducer, nil, producerFindings))
	add(slowly(objDevice, nil, deviceFindings))
	add(slowly(objGeo, nil, geoFindings))
	add(slowly(objUser, (*around).noteUser, userFindings))
	add(slowly(objData, nil, dataFindings))
	add(slowly(objNetwork, nil, networkFindings))
	add(slowly(objChannel, nil, channelFindings))
	add(slowly(objSupplyChain, (*around).noteSupplyChain, supplyChainFindings))
	add(slowly(objSupplyChainNode, nil, supplyChainNodeFindings))
	add(slowly(objEID, nil, eidFindings))
	add(slowly(objUID, nil, uidFindings))
	add(slowly(objUserAgent, nil, userAgentFindings))
	add(slowly(objBrandVersion, nil, brandVersionFindings))
	add(slowly(objQty, nil, qtyFindings))
	add(slowly(objDOOH, nil, doohFindings))
	add(slowly(objRefresh, nil, refreshFindings))
	add(slowly(objRefSettings, nil, refSettingsFindings))
	add(slowly(objDurFloors, nil, durFloorsFindings))
	add(slowly(objBidResponse, nil, bidResponseFindings))
	add(slowly(objSeatBid, nil, seatBidFindings))
	add(slowly(objBid, nil, bidFindings))

	add(slowly(objNativeRequest, nil, nativeRequestFindings))
	add(slowly(objNativeAssetRequest, nil, nativeAssetRequestFindings))
	add(slowly(objNativeTitleRequest, nil, nativeTitleRequestFindings))
	add(slowly(objNativeImageRequest, nil, nativeImageRequestFindings))
	add(slowly(objNativeVideoRequest, nil, nativeVideoRequestFindings))
	add(slowly(objNativeDataRequest, nil, nativeDataRequestFindings))
	add(slowly(objNativeEventTrackerRequest, nil, nativeEventTrackerRequestFindings))
	add(slowly(objNativeResponse, (*around).noteNativeResponse, nativeResponseFindings))
	add(slowly(objNativeAssetResponse, nil, nativeAssetResponseFindings))
	add(slowly(objNativeTitleResponse, nil, nativeTitleResponseFindings))
	add(slowly(objNativeImageResponse, nil, nativeImageResponseFindings))
	add(slowly(objNativeDataResponse, nil, nativeDataResponseFindings))
	add(slowly(objNativeVideoResponse, nil, nativeVideoResponseFindings))
	add(slowly(objNativeLink, nil, nativeLinkFindings))
	add(slowly(objNativeEventTrackerResponse, nil, nativeEventTrackerResponseFindings))
	return m
}()

// slowValue is RequestValue and ResponseValue of the reference. root is a pointer to a message.
func slowValue(c *Checker, root any, data []byte) Report {
	if _, response := root.(*openrtb.BidResponse); response {
		c.begin(nil, data)
		c.doc = Response
	} else {
		c.begin(data, nil)
	}
	slowWalk(&c.values, reflect.ValueOf(root))
	return c.finish()
}

func slowWalk(c *values, v reflect.Value) {
	object, ok := slowObjects[v.Type().Elem()]
	if !ok {
		return // without rules, and without objects inside it
	}
	if object.note != nil {
		object.note(&c.at, v.Interface())
	}
	object.check(c, v.Interface())
	for i := range v.Elem().NumField() {
		key, _, _ := strings.Cut(v.Type().Elem().Field(i).Tag.Get("json"), ",")
		id, field := object.id.field([]byte(key)), v.Elem().Field(i)
		switch {
		case fields[id].kind != kindObject:
		case field.Kind() == reflect.Slice:
			for j := range field.Len() {
				c.enter(id, j)
				slowWalk(c, field.Index(j).Addr())
				c.leave()
			}
		case !field.IsNil():
			c.enter(id, noIndex)
			slowWalk(c, field)
			c.leave()
		}
	}
}

// fastValue is the value layer. root is a pointer to a message, or to a native payload.
func fastValue(c *Checker, root any, data []byte) Report {
	switch r := root.(type) {
	case *openrtb.BidResponse:
		return c.ResponseValue(r, data)
	case *native.Request:
		c.begin(nil, nil)
		checkNativeRequest(&c.values, r)
		return c.finish()
	case *native.Response:
		c.begin(nil, nil)
		checkNativeResponse(&c.values, r)
		return c.finish()
	}
	return c.RequestValue(root.(*openrtb.BidRequest), data)
}

// compareValue compares the reports of both.
func compareValue(t *testing.T, fast, slow *Checker, root any, data []byte) Report {
	t.Helper()
	want, got := slowValue(slow, root, data), fastValue(fast, root, data)
	if got.Dropped != want.Dropped || got.Counts != want.Counts || !slices.Equal(got.Findings, want.Findings) {
		text, _ := json.Marshal(root)
		t.Fatalf("%s\ngot%s\nwant%s", text, describe(got), describe(want))
	}
	return got
}

// filterEngines are engines of many kinds: the presets, few rules, each rule alone with and without
// the one it yields to, and random severities.
func filterEngines(t testing.TB, random *rand.Rand) (engines []*Engine) {
	t.Helper()
	add := func(options ...Option) {
		e, err := New(options...)
		if err != nil {
			t.Fatal(err)
		}
		engines = append(engines, e)
	}
	for _, p := range Presets() {
		add(WithPreset(p))
		add(WithPreset(p), WithMaxFindings(3))
	}
	add(fewRules...)
	add(WithSeverity("*", Error))
	add(WithSeverity("*", Off))
	for i := range rules {
		if rules[i].Undecidable == "" {
			add(WithSeverity("*", Off), WithSeverity(rules[i].ID, Info))
		}
	}
	for n := range 100 {
		share := 1 + n%10 // in tenths, of the rules that are on
		options := []Option{WithSeverity("*", Off)}
		for i := range rules {
			if rules[i].Undecidable == "" && random.IntN(10) < share {
				options = append(options, WithSeverity(rules[i].ID, Severity(random.IntN(int(Error)+1))))
			}
		}
		add(options...)
	}
	return engines
}

// TestFilteredDocuments compares all engines on the clean documents, on those that break each rule,
// and on the corpus.
func TestFilteredDocuments(t *testing.T) {
	engines := filterEngines(t, rand.New(rand.NewPCG(7, 8)))
	type document struct {
		root any
		data []byte
	}
	var all []document
	add := func(data []byte, response bool) {
		if response {
			if v, err := openrtb.ParseResponse(data); err == nil {
				all = append(all, document{v, data})
			}
		} else if v, err := openrtb.Parse(data); err == nil {
			all = append(all, document{v, data})
		}
	}
	for _, base := range append(bases, "answer") {
		add(clean(t, base), base == "response" || base == "answer")
	}
	for _, cases := range []map[string][]ruleCase{generatedCases(t), byHandCases(t)} {
		for _, list := range cases {
			for _, one := range list {
				if one.raw == nil && one.base != "pair" {
					add(edited(t, clean(t, one.base), one.changes...), one.base == "response")
				}
			}
		}
	}
	for _, one := range nativeCases(t) {
		if one.ofRequest != nil {
			all = append(all, document{mustNativeRequest(t, one.ofRequest), nil})
		}
		if one.ofResponse != nil {
			all = append(all, document{mustNativeResponse(t, one.ofResponse), nil})
		}
	}
	own := len(all)
	if own < 500 {
		t.Fatalf("%d documents of the rules", own)
	}
	for _, data := range corpus(t, "requests") {
		add(data, false)
	}
	for _, data := range corpus(t, "responses") {
		add(data, true)
	}
	found := map[string]bool{}
	step := testkit.Scale(t, 97, 23, 1)
	for n, e := range engines {
		fast, slow := e.NewChecker(), e.NewChecker()
		for i, d := range all {
			if n > 8 && (n+i)%step != 0 { // the presets see all documents
				continue
			}
			for _, f := range compareValue(t, fast, slow, d.root, d.data).Findings {
				found[f.ID] = true
			}
		}
	}
	for i := range rules {
		r := &rules[i]
		if r.Undecidable == "" && r.Scope != "pair" && !inTextLayer(r.ID) && alwaysSilent(r.ID) == nil && !found[r.ID] {
			t.Errorf("no document breaks %s", r.ID)
		}
	}
}

// TestFilteredRandomly compares random engines on random changes of the clean documents.
func TestFilteredRandomly(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	engines := filterEngines(t, random)
	m := valueMutator{random: random, texts: []string{"", "x", "USD", "en", "1.0", "IAB1-1", "viewability", `{"native":{}}`, `{}`}}
	for _, v := range formatValues {
		m.texts = append(append(m.texts, v.good...), v.bad...)
	}
	slices.Sort(m.texts)
	var fast, slow *Checker
	findings := 0
	for n := range testkit.Scale(t, 2_000, 10_000, 1_000_000) {
		if n%50 == 0 {
			e := engines[random.IntN(len(engines))]
			fast, slow = e.NewChecker(), e.NewChecker()
		}
		if n%10 == 0 {
			var root any
			switch i := random.IntN(len(bases) + 2); {
			case i == len(bases):
				root = mustNativeRequest(t, nil)
			case i > len(bases):
				root = mustNativeResponse(t, nil)
			case bases[i] == "response":
				root = mustResponse(t, clean(t, bases[i]))
			default:
				root = mustRequest(t, clean(t, bases[i]))
			}
			m.root = reflect.ValueOf(root)
		}
		for range 1 + random.IntN(3) {
			m.change(m.root)
		}
		findings += len(compareValue(t, fast, slow, m.root.Interface(), nil).Findings)
	}
	if findings == 0 {
		t.Error("no findings")
	}
}

// valueMutator changes decoded messages.
type valueMutator struct {
	random *rand.Rand
	texts  []string
	root   reflect.Value
}

// change changes a member of the object that v points to, or of one inside it.
func (m *valueMutator) change(v reflect.Value) {
	var inner []reflect.Value
	for _, field := range v.Elem().Fields() {
		switch f := field; {
		case f.Kind() == reflect.Pointer && f.Type().Elem().Kind() == reflect.Struct && !f.IsNil():
			inner = append(inner, f)
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct:
			for j := range f.Len() {
				inner = append(inner, f.Index(j).Addr())
			}
		}
	}
	if len(inner) > 0 && m.random.IntN(4) > 0 {
		m.change(inner[m.random.IntN(len(inner))])
		return
	}
	m.set(v.Elem().Field(m.random.IntN(v.Elem().NumField())))
}

var numbersTried = []int64{-3, -2, -1, 0, 1, 2, 3, 4, 5, 8, 9, 30, 499, 500, 1000, 1_900, 2_000, 1_700_000_000, 1_700_000_000_000}

// set gives a value another one, or takes it away.
func (m *valueMutator) set(v reflect.Value) {
	number := numbersTried[m.random.IntN(len(numbersTried))]
	switch v.Kind() {
	case reflect.Pointer:
		if m.random.IntN(4) == 0 {
			v.SetZero()
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		m.set(v.Elem())
	case reflect.Struct:
		for range 4 {
			m.set(v.Field(m.random.IntN(v.NumField())))
		}
	case reflect.String:
		v.SetString(m.texts[m.random.IntN(len(m.texts))])
	case reflect.Int:
		v.SetInt(number)
	case reflect.Float64:
		v.SetFloat(float64(number) / float64(1+m.random.IntN(2)))
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			exts := []string{`{}`, `{"schain":{}}`, `{"gdpr":1,"x":"us_privacy"}`, `{"us_privacy":"1---"}`, `{"conse\u006et":"C"}`, `{"x":{"eids":[]}}`, `{"eids":[]}`}
			v.SetBytes([]byte(exts[m.random.IntN(len(exts))]))
			return
		}
		n := m.random.IntN(4)
		if m.random.IntN(10) == 0 {
			n = linearMax + 2
		}
		list := reflect.MakeSlice(v.Type(), n, n)
		for i := range n {
			if old := v.Len(); old > 0 && m.random.IntN(2) == 0 {
				list.Index(i).Set(v.Index(m.random.IntN(old)))
			} else {
				m.set(list.Index(i))
			}
		}
		v.Set(list)
	default:
		panic(v.Kind().String())
	}
}

// TestRepeats compares lists that are compared directly, and longer ones, with a map.
func TestRepeats(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	var seen firstSeen
	for range 5_000 {
		list := make([]string, random.IntN(2*linearMax))
		for i := range list {
			list[i] = string(rune('a' + random.IntN(1+len(list))))
		}
		var want, got []int
		had := map[string]bool{}
		for i, s := range list {
			if had[s] {
				want = append(want, i)
			}
			had[s] = true
		}
		repeats(&seen, list, func(s *string) string { return *s }, func(i int) { got = append(got, i) })
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", list, got, want)
		}
	}
}
