package schema

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// This file tests the preset admission: what it refuses, what it warns of, and what it lets pass.

// admissionCases are changes to the clean documents, by what auction servers refuse. Each of those
// that break something names the rule that says so.
var admissionCases = []struct {
	row    string
	broken map[string]string // changes, and the rule that they break
	kept   []string
}{
	{"the request", map[string]string{
		`site: /id = ""`: "BidRequest.id.required", `site: - /id`: "BidRequest.id.required", `site: /id = 5`: "any.type",
		`site: - /imp`: "BidRequest.imp.required", `site: /imp = []`: "BidRequest.imp.min", `site: /tmax = -1`: "BidRequest.tmax.range",
		`site: /tmax = 1.5`: "any.integer", `site: /ext = []`: "any.ext", `site: /imp/0/ext = "x"`: "any.ext",
		`site: - /site`: "BidRequest.channel.present", `site: /app = {"id":"1"}`: "BidRequest.channel.exclusive", `dooh: /site = {"id":"1"}`: "DOOH.exclusive",
	}, []string{`site: - /tmax`, `site: /tmax = 0`, `site: /tmax = 86400000`, `app`, `dooh`}},
	{"imp", map[string]string{
		`site: /imp/0/id = ""`: "Imp.id.required", `site: /imp/1/id = "1"`: "BidRequest.imp.id.unique", `site: - /imp/0/banner`: "Imp.media",
		`site: /imp/0/metric = [{}]`: "Metric.empty", `site: /imp/0/metric = [{"type":"x","value":1},{"ext":{}}]`: "Metric.empty",
	}, []string{`site: /imp/0/metric = [{"type":"x"}]`, `site: /imp/0/metric = []`, `site: /imp/0/bidfloor = -1`}},
	{"banner", map[string]string{
		`site: - /imp/0/banner/format ;; - /imp/0/banner/w ;; - /imp/0/banner/h`: "Banner.sized",
		`site: /imp/0/banner = {}`: "Banner.sized", `site: /imp/0/banner = {"w":0,"h":0}`: "Banner.sized", `site: /imp/0/banner = {"format":[]}`: "Banner.sized",
		`site: - /imp/0/banner/w`: "Banner.wh.pair", `site: - /imp/0/banner/h`: "Banner.wh.pair", `site: /imp/0/banner/w = -1`: "Banner.w.range", `site: /imp/0/banner/h = -1`: "Banner.h.range",
		`site: /imp/0/banner/wmin = 1`: "Banner.removed", `site: /imp/0/banner/wmax = 1`: "Banner.removed", `site: /imp/0/banner/hmin = 1`: "Banner.removed", `site: /imp/0/banner/hmax = 1`: "Banner.removed",
	}, []string{`site: /imp/0/banner = {} ;; /imp/0/instl = 1`, `site: /imp/0/banner = {"w":1,"h":1}`, `site: - /imp/1/video/companionad/0/format`}},
	{"format", map[string]string{
		`site: /imp/0/banner/format = [{}]`: "Format.shape", `site: /imp/0/banner/format = [{"w":1,"h":1},{"ext":{}}]`: "Format.shape",
		`site: /imp/0/banner/format = [{"w":1,"h":1,"wmin":1,"wratio":1,"hratio":1}]`: "Format.both",
		`site: /imp/0/banner/format = [{"w":1}]`:                                      "Format.wh.pair", `site: /imp/0/banner/format = [{"h":1}]`: "Format.wh.pair",
		`site: /imp/0/banner/format = [{"wratio":1,"hratio":1}]`: "Format.shape", `site: /imp/0/banner/format = [{"wmin":1}]`: "Format.shape",
		`site: /imp/0/banner/format = [{"wmin":1,"wratio":1}]`: "Format.wh.pair", `site: /imp/0/banner/format = [{"wmin":1,"hratio":1}]`: "Format.wh.pair",
		`site: /imp/0/banner/format = [{"w":0,"h":1}]`: "Format.positive", `site: /imp/0/banner/format = [{"w":1,"h":-1}]`: "Format.h.range",
		`site: /imp/0/banner/format = [{"wmin":0,"wratio":1,"hratio":1}]`: "Format.positive", `site: /imp/0/banner/format = [{"wmin":1,"wratio":-1,"hratio":1}]`: "Format.wratio.range",
	}, []string{`site: /imp/0/banner/format = [{"w":1,"h":1}]`, `site: /imp/0/banner/format = [{"wmin":1,"wratio":1,"hratio":1}]`}},
	{"video", map[string]string{
		`site: - /imp/1/video/mimes`: "Video.mimes.required", `site: /imp/1/video/mimes = []`: "Video.mimes.min", `site: /imp/1/video/w = -1`: "Video.w.range", `site: /imp/1/video/h = -1`: "Video.h.range",
		`site: /imp/1/video/minbitrate = -1`: "Video.minbitrate.range", `site: /imp/1/video/maxbitrate = -1`: "Video.maxbitrate.range",
	}, []string{`site: - /imp/1/video/w`, `site: /imp/1/video/w = 0`, `site: /imp/1/video/minduration = -1`, `site: - /imp/1/video/protocols`}},
	{"audio", map[string]string{
		`site: - /imp/2/audio/mimes`: "Audio.mimes.required", `site: /imp/2/audio/mimes = []`: "Audio.mimes.min", `site: /imp/2/audio/sequence = -1`: "Audio.sequence.range", `site: /imp/2/audio/maxseq = -1`: "Audio.maxseq.range",
		`site: /imp/2/audio/minbitrate = -1`: "Audio.minbitrate.range", `site: /imp/2/audio/maxbitrate = -1`: "Audio.maxbitrate.range",
	}, []string{`site: /imp/2/audio/minbitrate = 0`}},
	{"native", map[string]string{
		`site: - /imp/3/native/request`: "Native.request.required", `site: /imp/3/native/request = ""`: "Native.request.required", `site: /imp/3/native/request = "[]"`: "Native.request.json",
		`site: /imp/3/native/request = "x"`: "Native.request.format", `site: /imp/3/native/request = {}`: "Native.request.string",
		`native: - /assets`: "NativeRequest.assets.required", `native: /assets = []`: "NativeRequest.assets.min", `native: - /assets/0/title`: "NativeAssetRequest.one", `native: /assets/0/data = {"type":1}`: "NativeAssetRequest.one",
		`native: /assets/1/id = 1`: "NativeAssetRequest.id.unique", `native: - /assets/1/id`: "NativeRequest.assets.ids", `native: - /assets/0/title/len`: "NativeTitleRequest.len.required", `native: /assets/0/title/len = 0`: "NativeTitleRequest.len.positive",
		`native: /assets/1/img/w = -1`: "NativeImageRequest.size.range", `native: /assets/1/img/hmin = -1`: "NativeImageRequest.size.range",
		`native: - /assets/2/video/mimes`: "NativeVideoRequest.mimes.required", `native: - /assets/2/video/minduration`: "NativeVideoRequest.minduration.required", `native: - /assets/2/video/maxduration`: "NativeVideoRequest.maxduration.required",
		`native: - /assets/2/video/protocols`: "NativeVideoRequest.protocols.required", `native: /assets/2/video/protocols = [0]`: "NativeVideoRequest.protocols.enum", `native: - /assets/3/data/type`: "NativeDataRequest.type.required",
		`native: /assets/3/data/type = 499`: "NativeDataRequest.type.enum", `native: /contextsubtype = 20`: "NativeRequest.context.subtype", `native: /context = 9`: "NativeRequest.context.enum",
		`native: /plcmttype = 11`: "NativeRequest.plcmttype.enum", `native: - /eventtrackers/0/event`: "NativeEventTrackerRequest.event.required", `native: /eventtrackers/0/event = 77`: "NativeEventTrackerRequest.event.enum",
		`native: - /eventtrackers/0/methods`: "NativeEventTrackerRequest.methods.required", `native: /eventtrackers/0/methods = [9]`: "NativeEventTrackerRequest.methods.enum",
	}, []string{
		`native`, `native: - /plcmttype`, `native: - /assets/0/id ;; - /assets/1/id ;; - /assets/2/id ;; - /assets/3/id`, `native: - /context`, `native: - /contextsubtype`, `native: - /eventtrackers`, `native: /plcmttype = 500`,
		`native: /assets/2/video/protocols = [501]`, `native: /assets/1/img = {}`, `native: /assets/0/title/len = 33`, `native: /unknown = 1`, `native: /assets/3/data/type = 500`,
	}},
	{"deals", map[string]string{`site: - /imp/0/pmp/deals/0/id`: "Deal.id.required", `site: /imp/0/pmp/deals/0/id = ""`: "Deal.id.required"}, []string{`site: /imp/0/pmp/deals = []`, `site: /imp/0/pmp = {}`}},
	{"site", map[string]string{`site: - /site/id ;; - /site/page`: "Site.identity"}, []string{`site: - /site/id`, `site: - /site/page`}},
	{"dooh", map[string]string{`dooh: - /dooh/id ;; - /dooh/venuetype`: "DOOH.identity"}, []string{`dooh: - /dooh/id`, `dooh: - /dooh/venuetype`, `app: - /app/id ;; - /app/bundle`}},
	{"regs", map[string]string{
		`site: /regs/gdpr = 2`: "Regs.gdpr.flag", `site: /regs/gdpr = -1`: "Regs.gdpr.flag", `site: - /regs/gdpr ;; /regs/ext/gdpr = 2`: "Regs.gdpr.flag",
	}, []string{`site: - /regs/gdpr`, `site: /regs/coppa = 5`, `site: - /regs/gdpr ;; /regs/ext/gdpr = 1`}},
	{"device, geo, user", map[string]string{
		`site: /device/w = -1`: "Device.w.range", `site: /device/h = -1`: "Device.h.range", `site: /device/ppi = -1`: "Device.ppi.range", `site: /device/geo/accuracy = -1`: "Geo.accuracy.range", `site: /user/geo/accuracy = -1`: "Geo.accuracy.range",
	}, []string{`site: /device/w = 0`, `site: - /device`, `site: - /user`, `site: /device/geo/lat = 100`}},
	{"keys", map[string]string{
		`site: /imp/0/Banner = {}`: "any.key-case", `site: /ID = "x"`: "any.key-case", `native: /Assets = []`: "any.key-case",
	}, []string{`site: /unknown = {"a":1}`, `site: /ext/Site = 1`}},
	// Members that no rule checks.
	{"everything else", nil, []string{
		`site: /imp/0/banner/pos = 77`, `site: /cur = ["usd"]`, `site: /wlangb = ["de"]`, `site: /device/geo/country = "US"`, `site: /device/ifa = ""`, `site: /test = 3`, `site: /source/schain = {}`,
		`site: /imp/0/secure = 2`, `site: /bcat = [""]`, `site: /imp/1/video/rqddurs = [5]`, `site: /user/yob = 1`, `site: /imp/0/iframebuster = []`, `site: /device/ua = null`, `site: /at = 9`,
	}},
}

// admissionDoc makes the document of a case: a changed clean document, or one with a changed native
// payload.
func admissionDoc(t *testing.T, text string) []byte {
	t.Helper()
	base, changes, some := strings.Cut(text, ": ")
	var list []string
	if some {
		list = strings.Split(changes, " ;; ")
	}
	if base == "native" {
		return nativeForms[0].place(t, edited(t, clean(t, "site"), `/imp/3/native/request = "@"`), nativeClean(t, "request", list...))
	}
	return edited(t, clean(t, base), list...)
}

func TestAdmission(t *testing.T) {
	c := strict(t, WithPreset(Admission))
	for _, x := range admissionCases {
		for text, rule := range x.broken {
			r := c.Request(admissionDoc(t, text))
			if r.Valid() || !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID == rule && f.Severity == Error }) {
				t.Errorf("%s: %s does not break %s:%s", x.row, text, rule, describe(r))
			}
		}
		for _, text := range x.kept {
			if r := c.Request(admissionDoc(t, text)); !r.Valid() {
				t.Errorf("%s: %s is refused:%s", x.row, text, describe(r))
			}
		}
	}
}

// TestAdmissionNUL checks that NUL is refused in every key and string.
func TestAdmissionNUL(t *testing.T) {
	c := strict(t, WithPreset(Admission))
	site := string(edited(t, clean(t, "site")))
	for _, x := range []struct{ old, new, path string }{
		{`"test":0`, `"test":0,"site\u0000":{}`, "/site?"},
		{`"test":0`, `"odd":{"x":[{"y\u0000":1}]},"test":0`, "/odd/x/0/y?"},
		{`"test":0`, `"badv":["a.example","b.example\u0000"],"test":0`, "/badv/1"},
		{`"gpid"`, `"\u0000":1,"gpid"`, "/imp/0/ext/?"},
		{`"gpid"`, `"a":[{"b":"\u0000"}],"gpid"`, "/imp/0/ext/a/0/b"},
		{`"test":0`, `"odd":"x\u0000","test":0`, "/odd"},
		{`"name":"News"`, `"name":"\u0000News"`, "/site/name"},
		{`\"ver\":\"1.2\"`, `\"ver\":\"1.2\\u0000\"`, "/imp/3/native/request#/ver"},
		{`\"ver\":\"1.2\"`, `\"ver\":\"1.2\",\"ext\":{\"x\\u0000\":1}`, "/imp/3/native/request#/ext/x?"},
	} {
		doc := strings.Replace(site, x.old, x.new, 1)
		if doc == site {
			t.Fatalf("%s is not in the document", x.old)
		}
		for _, text := range []string{doc, strings.Replace(doc, `"test":0`, `"test":""`, 1)} { // accepted by the decoder, or not
			r := c.Request([]byte(text))
			if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID == "any.nul" && f.Severity == Error && f.Path == x.path }) {
				t.Errorf("%s: nothing at %s:%s", x.new, x.path, describe(r))
			}
			checkPlaces(t, r, []byte(text), nil)
		}
	}
}

// TestAdmissionDuplicates checks that a key that comes twice is refused wherever it is.
func TestAdmissionDuplicates(t *testing.T) {
	c := strict(t, WithPreset(Admission))
	site := string(edited(t, clean(t, "site")))
	for _, x := range []struct{ old, new, path string }{
		{`"id":"80ce`, `"id":"x","id":"80ce`, "/id"},
		{`"id":"80ce`, `"i\u0064":"x","id":"80ce`, "/id"},
		{`"gpid"`, `"gp\u0069d":1,"gpid"`, "/imp/0/ext/gpid"},
		{`"gpid"`, `"a":{"b":[{"c":1},{"c":1,"d":[],"\u0063":2}]},"gpid"`, "/imp/0/ext/a/b/1/c"},
		{`"test":0`, `"odd":{"x":1,"x":2},"test":0`, "/odd/x"},
		{`"test":0`, `"odd":1,"odd":2,"test":0`, "/odd"},
		{`"test":0`, `"odd":[[{"a/b":1,"a/b":2}]],"test":0`, "/odd/0/0/a~1b"},
		{`\"ver\":\"1.2\"`, `\"ver\":\"1.2\",\"ver\":\"1.1\"`, "/imp/3/native/request#/ver"},
		{`\"ver\":\"1.2\"`, `\"ver\":\"1.2\",\"ext\":{\"x\":1,\"x\":1}`, "/imp/3/native/request#/ext/x"},
	} {
		doc := strings.Replace(site, x.old, x.new, 1)
		if doc == site {
			t.Fatalf("%s is not in the document", x.old)
		}
		r := c.Request([]byte(doc))
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return strings.HasSuffix(f.ID, "duplicate-key") && f.Severity == Error && f.Path == x.path
		}) {
			t.Errorf("%s: nothing at %s:%s", x.new, x.path, describe(r))
		}
		checkPlaces(t, r, []byte(doc), nil)
	}
	deep := strings.Replace(site, `"gpid"`, `"x":`+strings.Repeat(`{"a":`, 500)+`{"b":1,"b":2}`+strings.Repeat("}", 500)+`,"gpid"`, 1)
	if r := c.Request([]byte(deep)); r.Counts[Error] != 1 {
		t.Errorf("deep:%.300s", describe(r))
	}
	for _, broken := range []string{`{"ext":{"a":1`, `{"ext":{"a"`, `{"ext":{a`, `{"ext":{"a":[1,`, `{"ext":[1`, `{"ext":{"a":1,`, `{"ext":{"a":{"b":[x`, `{"x":{"a" 1}}`, `{"ext":` + strings.Repeat("[", 2000), `{"ext":` + strings.Repeat(`{"a":`, 2000), `{"ext":{"a":[]`, `{"ext":{"` + "\xff" + `":1}}`} {
		if r := c.Request([]byte(broken)); r.Valid() {
			t.Errorf("%.40s is valid", broken)
		}
	}
}

// TestAdmissionKeyCaseInExt checks the keys of what earlier versions have in an ext: they are in
// lower case, as in the field, but what is in their own ext may be as it likes.
func TestAdmissionKeyCaseInExt(t *testing.T) {
	c := strict(t, WithPreset(Admission))
	for _, x := range []struct{ member, path string }{
		{`"user":{"ext":{"eids":[{"Source":"a.example","uids":[{"id":"1"}]}]}}`, "/user/ext/eids"},
		{`"user":{"ext":{"eids":[{"source":"a.example","uids":[{"id":"1"},{"id" : "2", "\u0049d" : "3"}]}]}}`, "/user/ext/eids"},
		{`"user":{"ext":{"EIDS":[{"ſource":"a.example","uids":[{"id":"1"}]}]}}`, "/user/ext/eids"},
		{`"source":{"ext":{"schain":{"ver":"1.0","complete":1,"nodes":[{"ASI":"a.example","sid":"1","hp":1}]}}}`, "/source/ext/schain"},
		{`"ext":{"schain":{"ver":"1.0","complete":1,"Nodes":[],"nodes":[]}}`, "/ext/schain"},
		{`"user":{"ext":{"eids":[{"source":"Source","x":["\"Source\":","ID"],"ext":{"Source":"a","b":[{"ID":1}]},"uids":[{"id":"1","rtiPartner":1}]}]}}`, ""},
		{`"source":{"ext":{"schain":{"ver":"1.0","complete":1,"nodes":[{"asi":"a.example","sid":"1","hp":1,"X":"ASI"}]}}}`, ""},
	} {
		doc := `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"},` + x.member + `}`
		r := c.Request([]byte(doc))
		at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == "any.key-case" && f.Severity == Error })
		switch {
		case x.path == "" && !r.Valid():
			t.Errorf("%s is refused:%s", x.member, describe(r))
		case x.path != "" && (at < 0 || r.Findings[at].Path != x.path):
			t.Errorf("%s: nothing at %s:%s", x.member, x.path, describe(r))
		}
	}
}

// withMember returns a request with a member in the first object of a type.
func withMember(object, member string) []byte {
	channel, imp := `"site":{"id":"1"}`, `"id":"1","banner":{"w":300,"h":250}`
	switch object {
	case "BidRequest":
	case "Imp":
		imp += "," + member
		member = `"at":1`
	case "Site":
		channel, member = `"site":{"id":"1",`+member+`}`, `"at":1`
	case "Content":
		channel, member = `"site":{"id":"1","content":{`+member+`}}`, `"at":1`
	case "App":
		channel, member = `"app":{"id":"1","bundle":"a.b",`+member+`}`, `"at":1`
	case "Data":
		member = `"user":{"data":[{"id":"1",` + member + `}]}`
	default:
		member = `"` + strings.ToLower(object) + `":{` + member + `}`
	}
	return []byte(`{"id":"1","imp":[{` + imp + `}],` + channel + `,` + member + `}`)
}

// TestAdmissionKnownExt writes each member of an ext with an agreed meaning in two letter cases.
func TestAdmissionKnownExt(t *testing.T) {
	c := strict(t, WithPreset(Admission))
	refused := func(object, members string) bool {
		r := c.Request(withMember(object, `"ext":{`+members+`}`))
		return slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.ID == "any.ext.key-case" && f.Severity == Error && strings.Contains(f.Path, "/ext")
		})
	}
	tested := 0
	for _, object := range []string{"Imp", "Source", "Device", "Regs", "Content"} {
		for _, name := range knownExt {
			tested++
			upper := `"` + strings.ToUpper(name) + `":1`
			if refused(object, upper) { // conditions and scrubs find it
				t.Errorf("%s alone in ext of %s is refused", upper, object)
			}
			if both := `"` + name + `":1,` + upper; !refused(object, both) || !refused(object, `"x":[{`+both+`}]`) {
				t.Errorf("%s in ext of %s is not refused", both, object)
			}
			if refused(object, `"`+name+`":{"x":"`+upper[1:2]+`"}`) {
				t.Errorf("%s in ext of %s is refused", name, object)
			}
		}
	}
	if tested == 0 {
		t.Error("no names")
	}
}

// TestAdmissionExtType puts values that can't be read at the earlier place of each field that
// moved.
func TestAdmissionExtType(t *testing.T) {
	c := strict(t, WithPreset(Admission))
	flags := [2][]string{{`" 1"`, `"1 "`, `"+1"`, `"01"`, `"true"`, `"yes"`, `[1]`, `{"x":1}`}, {`1`, `"1"`, `true`, `1.0`, `null`, `""`}}
	texts := [2][]string{{`5`, `["x"]`, `{}`, `true`}, {`null`, `""`}}
	objects := [2][]string{{`[7]`, `[{"source":[1]}]`}, {`null`, `""`}}
	values := map[string][2][]string{
		"/gdpr": flags, "/rwdd": flags, "/us_privacy": texts, "/consent": texts, "/gpp": texts, "/inventorypartnerdomain": texts,
		"/gpp_sid": {{`7`, `"7"`, `"6,7"`, `[[7]]`, `[7,"x"]`, `{"0":7}`}, {`[]`, `[6,"7"]`, `null`, `""`}},
		"/cids":    {{`"1"`, `[1]`, `["1",[]]`, `{}`}, {`[]`, `["1"]`, `null`}},
		"/eids":    objects, "/schain": objects, "/source/schain": objects,
	}
	for _, row := range legacy.Table() {
		for i, list := range values[row.To] {
			for _, value := range list {
				names := strings.Split(row.From, "/")[1:]
				for _, last := range []string{names[len(names)-1], strings.ToUpper(names[len(names)-1])} {
					member := `"` + last + `":` + value
					for _, name := range slices.Backward(names[:len(names)-1]) {
						member = `"` + name + `":{` + member + `}`
					}
					r := c.Request(withMember(row.Object, member))
					at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == "any.ext.type" && f.Severity == Error })
					switch {
					case i == 0 && (at < 0 || !strings.HasSuffix(r.Findings[at].Path, row.From)):
						t.Errorf("%s: %s: nothing at %s:%s", row.Object, member, row.From, describe(r))
					case i == 1 && at >= 0:
						t.Errorf("%s: %s is refused:%s", row.Object, member, describe(r))
					}
				}
			}
		}
		if values[row.To][0] == nil {
			t.Errorf("no values for %s of %s", row.To, row.Object)
		}
	}
}

// TestAdmissionWarnings checks what is mended by servers, and only warned of here.
func TestAdmissionWarnings(t *testing.T) {
	c := strict(t, WithPreset(Admission))
	for text, rule := range map[string]string{
		`site: /cur = ["USD","EUR"]`: "BidRequest.cur.one", `site: /regs/gpp = "x"`: "Regs.gpp.format", `site: /regs/gpp = "DBABMA"`: "Regs.gpp.header",
		`site: - /regs/gpp ;; /regs/ext/gpp = "x"`: "Regs.gpp.format", `site: - /regs/gpp ;; /regs/ext/gpp = "DB"`: "Regs.gpp.header",
		`site: /user/consent = "C"`: "User.consent.gpp", `site: /regs/gdpr = 0`: "Regs.gdpr.gpp_sid", `site: /user/eids/0/source = ""`: "EID.uids.present", `site: - /user/eids/0/uids`: "EID.uids.present",
		`site: - /user/eids/0/uids/0/id`: "UID.id.present", `site: /user/ext/eids = [{"uids":[{}]}]`: "UID.id.present", `site: /regs/us_privacy = "2YNN"`: "Regs.us_privacy.format",
		`site: - /regs/us_privacy ;; /regs/ext/us_privacy = "2YNN"`: "Regs.us_privacy.format",
		`site: /device/ip = "x"`:                                    "Device.ip.format", `site: /device/ip = "10.1.2.3"`: "Device.ip.public", `site: /device/ipv6 = "fe80::1"`: "Device.ip.public",
		`site: /regs/ext/gdpr = 0`: "Regs.gdpr.conflict", `native: - /plcmttype`: "NativeRequest.plcmttype.needed",
	} {
		r := c.Request(admissionDoc(t, text))
		if !r.Valid() || !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID == rule && f.Severity == Warn }) {
			t.Errorf("%s is not a warning of %s:%s", text, rule, describe(r))
		}
	}
}

// TestAdmissionTable checks that no rule is listed twice, and that the preset has the severities
// that its lists say.
func TestAdmissionTable(t *testing.T) {
	e, err := New(WithPreset(Admission))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[ruleID]Severity{}
	for severity, list := range map[Severity][]ruleID{Error: admissionErrors[:], Warn: admissionWarnings[:]} {
		for _, r := range list {
			if listed[r] != Off || rules[r].Undecidable != "" {
				t.Errorf("%s is listed twice, or never reported", rules[r].ID)
			}
			listed[r] = severity
		}
	}
	for i, r := range rules {
		want := listed[ruleID(i)]
		if r.Source == "contract" {
			want = Error
		}
		if got := e.Severity(r.ID); got != want {
			t.Errorf("%s is %v, want %v", r.ID, got, want)
		}
	}
}

// TestLegacyPlaces checks the places of findings inside an ext.
func TestLegacyPlaces(t *testing.T) {
	doc := `{"id":"1","regs":{"ext":{"gdpr":[5],"gd\u0070r":7,"us_privacy":"x"}},"user":{"ext":{"x":[],"eids":[{"source":"a.example","uids":[{"id":"1"}]},{"uids":[{}]}]}},
		"source":{"ext":{"schain":{"complete":5,"nodes":[{"hp":7}]}}},"ext":{"schain":{"complete":3}},"imp":[{"ext":{"prebid":{"is_rewarded_inventory":1}},"rwdd":0}],"site":{"ext":{"inventorypartnerdomain":"x y"}}}`
	r := strict(t).Request([]byte(doc))
	for _, want := range []string{
		"Regs.gdpr.flag /regs/ext/gdpr", "Regs.us_privacy.format /regs/ext/us_privacy", "EID.uids.present /user/ext/eids/1/source", "UID.id.present /user/ext/eids/1/uids/0/id",
		"SupplyChain.complete.flag /source/ext/schain/complete", "SupplyChainNode.hp.flag /source/ext/schain/nodes/0/hp", "SupplyChain.complete.flag /ext/schain/complete",
		"BidRequest.schain.conflict /ext/schain", "Imp.rwdd.conflict /imp/0/ext/prebid/is_rewarded_inventory", "Site.inventorypartnerdomain.format /site/ext/inventorypartnerdomain",
	} {
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID+" "+f.Path == want }) {
			t.Errorf("no %s:%s", want, describe(r))
		}
	}
	checkPlaces(t, r, []byte(doc), nil)
}

// TestCorpusRefused records how much of the corpus each preset refuses, and for which reasons most
// often, so that a change to a rule shows as a diff that people can judge.
func TestCorpusRefused(t *testing.T) {
	const most = 10
	var b strings.Builder
	page, err := os.ReadFile(testkit.Path(t, "docs/check.md"))
	if err != nil {
		t.Fatal(err)
	}
	frequent, counts := map[string]bool{}, map[Preset]map[string]int{}
	total, shares, admitted := 0, map[Preset]string{}, 0
	for _, preset := range Presets() {
		for _, kind := range []string{"requests", "responses"} {
			c := strict(t, WithPreset(preset))
			docs := corpus(t, kind)
			refused, reasons := 0, map[string]int{}
			for _, doc := range docs {
				r := checkKind(c, kind, doc)
				if r.Valid() {
					continue
				}
				refused++
				set := map[string]bool{}
				for _, f := range r.Findings {
					if f.Severity == Error {
						set[f.ID] = true
					}
				}
				for id := range set {
					reasons[id]++
				}
			}
			fmt.Fprintf(&b, "%s refuses %d of %d %s (%.1f%%)\n", preset, refused, len(docs), kind, 100*float64(refused)/float64(len(docs)))
			if kind == "requests" {
				total, shares[preset] = len(docs), fmt.Sprintf("%.1f%%", 100*float64(refused)/float64(len(docs)))
				if preset == Admission {
					admitted = refused
				}
			}
			order := slices.SortedFunc(maps.Keys(reasons), func(x, y string) int { return cmp.Or(reasons[y]-reasons[x], cmp.Compare(x, y)) })
			for _, id := range order[:min(most, len(order))] {
				fmt.Fprintf(&b, "%8d %s\n", reasons[id], id)
				if kind == "requests" {
					frequent[id], counts[preset] = true, reasons
				}
			}
		}
	}
	golden(t, "testdata/corpus-refused.golden", b.String())
	text := strings.Join(strings.Fields(string(page)), " ")
	channel, site := counts[Admission]["BidRequest.channel.present"], counts[Admission]["Site.identity"]
	for _, says := range []string{
		fmt.Sprintf("has %d,%03d bid requests", total/1000, total%1000),
		fmt.Sprintf("`strict` and `exchange` refuse %s of them, `permissive` %s, `admission` %s.", shares[Strict], shares[Permissive], shares[Admission]),
		fmt.Sprintf("Under `admission`, %d of the %d refusals say that no channel is there, and %d that a site", channel, admitted, site),
	} {
		if !strings.Contains(text, says) {
			t.Errorf("docs/check.md does not say: %s", says)
		}
	}
	if shares[Strict] != shares[Exchange] {
		t.Errorf("strict refuses %s and exchange %s: docs/check.md says that they are equal", shares[Strict], shares[Exchange])
	}
	for id := range frequent {
		row := "| " + id
		for _, preset := range []Preset{Strict, Exchange, Permissive, Admission} {
			row += fmt.Sprintf(" | %d", counts[preset][id])
		}
		if !strings.Contains(string(page), row+" | ") {
			t.Errorf("docs/check.md lacks a row that begins %s", row)
		}
	}
}
