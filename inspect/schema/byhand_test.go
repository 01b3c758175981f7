package schema

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// This file reads the cases of testdata/rules.txt, and holds those about the text.

// byHandOnly are rules whose check is not turned into documents, because rules.txt has better ones.
var byHandOnly = map[string]bool{
	"BidRequest.channel.exclusive": true, // two of site, app and dooh need more changes
	"BidRequest.cur.one":           true, // the elements are texts
	"SupplyChain.nodes.max":        true, // the elements are objects
	"Content.gtax.values":          true, // codes outside of the list are Content.gtax.enum
}

// prepared are changes that come before those that follow from a check. Without them the document
// would break another rule too, or only another one.
var prepared = map[string][]string{
	"BidRequest.user.recommended": {"- /regs/gdpr"},
	"User.consent.format":         {"- /regs/gpp", "- /regs/gpp_sid"},
	"Regs.gpp_sid.enum":           {"- /regs/gdpr"},
	"Regs.gpp_sid.meta":           {"- /regs/gdpr"},
	"Banner.size":                 {"/imp/0/instl = 1"},
	"Video.rqddurs.min":           {"/imp/0/video/minduration = 5", "/imp/0/video/maxduration = 15"},
	"Audio.rqddurs.min":           {"/imp/1/audio/minduration = 5", "/imp/1/audio/maxduration = 15"},
	"Video.maxseq.recommended":    {"- /imp/1/video/poddur"},
	"Video.poddur.recommended":    {"- /imp/1/video/maxseq"},
	"Audio.poddur.recommended":    {"- /imp/2/audio/maxseq"},
	"Video.w.recommended":         {"- /imp/1/video/h"},
	"Video.h.recommended":         {"- /imp/1/video/w"},
	"Video.dur.one":               {"- /imp/1/video/minduration"},
	"Audio.dur.one":               {"- /imp/2/audio/minduration"},
	"Video.rqddurs.exclusive":     {"/imp/0/video/poddur = 60"},
	"Video.skip.flag":             {"- /imp/1/video/skipmin", "- /imp/1/video/skipafter"},
	"Video.sequence.range":        {"- /imp/1/video/slotinpod"},
	"Video.sequence.deprecated":   {"- /imp/1/video/slotinpod"},
	"Audio.sequence.range":        {"- /imp/2/audio/slotinpod"},
	"Audio.sequence.deprecated":   {"- /imp/2/audio/slotinpod"},
	"Content.livestream.flag":     {"/site/content/realtime = 0"},
	"Geo.type.enum":               {"- /device/geo/ipservice"},
	"Geo.region.format":           {"/device/geo/country = \"CAN\""},
	"SupplyChainNode.sid.len":     {"- /site/publisher/id"},
	"BidResponse.nbr.enum":        {"- /seatbid"},
	"Bid.price.positive":          {"- /seatbid/0/bid/0/dealid"},
}

// onlyBad selects the values that break a rule with a silence: of the values that break its check,
// those that it does not leave to another rule.
var onlyBad = map[string]func(v any) bool{
	"SupplyChainNode.asi.format":    func(v any) bool { return !strings.ContainsAny(v.(string), ":/") },
	"SupplyChainNode.domain.format": func(v any) bool { return !strings.ContainsAny(v.(string), ":/") },
	"SupplyChainNode.asi.bare":      func(v any) bool { return strings.ContainsAny(v.(string), ":/") },
}

// textCases returns the documents whose fault is in the text.
func textCases(t *testing.T) map[string][]ruleCase {
	t.Helper()
	site, response := edited(t, clean(t, "site")), edited(t, clean(t, "response"))
	replaced := func(doc []byte, old, new string) string {
		if !bytes.Contains(doc, []byte(old)) {
			t.Fatalf("%s is not in the document", old)
		}
		return strings.Replace(string(doc), old, new, 1)
	}
	out := map[string][]ruleCase{}
	add := func(rule string, broken bool, docs ...string) {
		for _, doc := range docs {
			out[rule] = append(out[rule], ruleCase{raw: &doc, broken: broken})
		}
	}
	add("any.object", true, `[]`, ` 1 `, `"x"`, `null`, `true`, "[{}]\n")
	add("any.object", false, string(site), " \t\r\n"+string(site)+" \n")
	add("any.duplicate-key", true,
		replaced(site, `"test":0`, `"test":0,"test":0`),
		replaced(site, `"test":0`, `"test":1,"te\u0073t":0`),
		replaced(site, `"name":"News",`, `"name":"News","name":"Other","name":"News",`),
		replaced(site, `"user":{`, `"user":{"id":"x","eids":[{"source":"a"}]},"user":{`))
	add("any.duplicate-key", false, string(site))
	add("any.ext.duplicate-key", true,
		replaced(site, `"ext":{"gpid":`, `"ext":{"gpid":1,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"g\u0070id":1,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"x":[1,[],{},{"a":[{"b":{},"c":"","b":null}]}],"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":{"b":1,"a":2,"\u0062":3},"gpid":`))
	add("any.ext.duplicate-key", false, string(site),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":{"b":1},"b":[{"b":1},{"b":1}],"B":2,"gpid":`))
	add("any.nul", true,
		replaced(site, `"News"`, `"News\u0000"`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"gpid\u0000":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":[{"b":{"\u0000":1}}],"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":[{"b":["x","\u0000"]}],"gpid":`))
	add("any.nul", false, string(site),
		replaced(site, `"News"`, `"N\\u0000ws\u0001"`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":"\\u0000","\\u0000":1,"gpid":`))
	add("any.ext.key-case", true,
		replaced(site, `"ext":{"gpid":`, `"ext":{"domain":1,"Domain":2,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"DOMAIN":1,"domain":2,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"DOMAIN":1,"Domain":2,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"eids":1,"ei\u0064S":2,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":[{"schain":1,"ſchain":2}],"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"keywords":1,"\u212aeywords":2,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"inventorypartnerdomain":1,"inventorypartnerDomain":2,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"id":0,`+members(40)+`"ID":1,"gpid":`))
	add("any.ext.key-case", true,
		replaced(site, `"ext":{"gpid":`, `"ext":{"gPid":0,"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":{"dsa":1,"DSA":2},"gpid":`))
	add("any.ext.key-case", false, string(site),
		replaced(site, `"ext":{"gpid":`, `"ext":{"siteId":1,"siteid":1,"Domain":{"domain":1},"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":[{"DOMAIN":1},{"domain":1}],"gpid":`))
	add("any.ext.type", true,
		replaced(site, `"ext":{},"id":"80ce`, `"ext":{"schain":{"nodes":[{"asi":"a.example"},1]}},"id":"80ce`),
		replaced(site, `"ext":{},"id":"80ce`, `"ext":{"schain":{"nodes":[{"asi":["a.example"]}]}},"id":"80ce`))
	add("any.ext.type", true,
		replaced(site, `"ext":{"gpid":`, `"ext":{"prebid":{"is_rewarded_inventory":" 1"},"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"Prebid":{"Is_rewarded_inventory":[1]},"gpid":`))
	add("any.ext.type", false, string(site),
		`{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"1"},"user":{"ext":{"eids":"x"}},"source":{"ext":{"schain":"1.0,1!a.example"}}}`,
		`{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"1"},"user":{"ext":{"eids":[{"source":"a.example","uids":{"id":1,"atype":"1"}}]}}}`)
	add("any.key-escape", true,
		replaced(site, `"name":"News"`, `"n\u0061me":"News"`),
		replaced(site, `"name":"News"`, `"\u006Eame":"News"`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"\u0067pid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":[{"\\b\u005f":1}],"gpid":`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"\"a\u002d\"":1,"gpid":`))
	add("any.key-escape", false, string(site),
		replaced(site, `"News"`, `"\u004eews"`),
		replaced(site, `"ext":{"gpid":`, `"ext":{"a":"\u0061","\\u0061":1,"a\/b\u003c\u00e9\n\ud83d\ude00\"":1,"gpid":`))
	add("any.later-version", true, string(site))
	add("any.later-version", false, `{"id":"1","imp":[{"id":"1","banner":{"format":[{"w":300,"h":250}]}}],"site":{"id":"1"},"bcat":["IAB1"]}`)
	add("any.utf8", true,
		replaced(site, `"News"`, "\"N\xffws\""),
		replaced(site, `"News"`, `"N\ud800ws"`),
		replaced(site, `"News"`, `"\udc00\ud800"`),
		replaced(site, `"gpid"`, "\"gp\xc3\""),
		replaced(site, `"/1234/home/leaderboard"`, "\"\xed\xa0\x80\""))
	add("any.utf8", false,
		replaced(site, `"News"`, `"N\ud83d\ude00ws €"`),
		replaced(site, `"News"`, "\"\ufffd\u007f\""))
	add("json.syntax", true, ``, ` `, `{`, `{"id"`, `{"id":`, `{"id":"1",}`, `{"id":"1"}}`, `{id:1}`, "{\"id\":\"a\nb\"}", `{"id":01}`, `nul`,
		string(site[:len(site)-1]), string(site[:len(site)/2]), string(site)+"x", "\xef\xbb\xbf"+string(site), strings.Repeat(`[`, 1000), "\x00")
	add("json.syntax", false, string(site))
	deep := func(levels int) string { // levels below the root
		return replaced(site, `"ext":{"gpid":"/1234/home/leaderboard"}`, `"ext":{"x":`+strings.Repeat("[", levels-4)+strings.Repeat("]", levels-4)+`}`)
	}
	add("json.depth", true, deep(1025), strings.Repeat(`[`, 5000))
	add("json.depth", false, deep(1024))
	add("json.limit", true, `{"id":"1","imp":[`+strings.Repeat(`{},`, 50000)+`{}]}`)
	add("json.limit", false, string(site))
	badTactic := replaced(response, `"t1"`, "\"\x80\"")
	out["any.utf8"] = append(out["any.utf8"], ruleCase{base: "response", raw: &badTactic, broken: true})
	return out
}

// byHandCases returns the cases of rules.txt and those about the text.
func byHandCases(t *testing.T) map[string][]ruleCase {
	t.Helper()
	out := textCases(t)
	rule := ""
	for _, line := range lines(string(readFile(t, "testdata/rules.txt"))) {
		switch line[0] {
		case '#':
		case '!', '.':
			base, changes, _ := strings.Cut(line[2:], ": ")
			one := ruleCase{base: strings.TrimSuffix(base, ":"), broken: line[0] == '!'}
			if changes != "" {
				one.changes = strings.Split(changes, " ;; ")
			}
			out[rule] = append(out[rule], one)
		default:
			rule = line
		}
	}
	return out
}

// members returns so many members whose names the specification does not have.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"x%d":%d,`, i, i)
	}
	return b.String()
}
