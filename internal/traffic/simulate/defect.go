package simulate

import (
	"bytes"
	"slices"
	"strings"
)

// put is a value of a plan: one of some texts.
func put(m member, texts ...string) value { return value{member: m, texts: texts} }

var (
	anyChannel = []channel{onSite, inApp, onTV}
	siteOnly   = []channel{onSite}
	appOnly    = []channel{inApp}
	appOrTV    = []channel{inApp, onTV}
)

// defects are requests that are not JSON, or that auction servers refuse. Their ids begin with the
// object that is wrong, or with json.
var defects = []plan{
	{Kind: Kind{Defect, "request.id-missing", "no id"}, omit: []member{reqID}, noID: true},
	{Kind: Kind{Defect, "request.id-empty", "an empty id"}, put: []value{put(reqID, `""`)}, noID: true},
	{Kind: Kind{Defect, "request.id-number", "an id that is a number"}, put: []value{put(reqID, "18446744073709551615", "42")}, noID: true},
	{Kind: Kind{Defect, "request.imp-missing", "no imp"}, omit: []member{reqImp}},
	{Kind: Kind{Defect, "request.imp-empty", "an empty list of impressions"}, put: []value{put(reqImp, "[]", "null")}},
	{Kind: Kind{Defect, "request.imp-object", "one impression without the list around it"}, put: []value{put(reqImp, `{"id":"1","banner":{"w":300,"h":250}}`)}},
	{Kind: Kind{Defect, "request.site-and-app", "both site and app"}, channels: siteOnly, put: []value{put(reqApp, `{"bundle":"com.example.twice"}`)}},
	{Kind: Kind{Defect, "request.no-channel", "neither site, app nor dooh"}, omit: []member{reqSite, reqApp, reqDOOH}},
	{Kind: Kind{Defect, "request.tmax-negative", "a negative time limit"}, put: []value{put(reqTmax, "-1", "-120")}},
	{Kind: Kind{Defect, "request.tmax-text", "a time limit in quotes"}, put: []value{put(reqTmax, `"120"`, `"120ms"`)}},
	{Kind: Kind{Defect, "request.at-unknown", "an auction type that no list has"}, put: []value{put(reqAt, "0", "9")}},
	{Kind: Kind{Defect, "request.cur-text", "the list of currencies as a text"}, put: []value{put(reqCur, `"USD"`)}},
	{Kind: Kind{Defect, "request.cur-unknown", "currencies that do not exist"}, put: []value{put(reqCur, `["EURO"]`, `["usd"]`, `["$"]`)}},
	{Kind: Kind{Defect, "imp.id-missing", "an impression without id"}, omit: []member{impID}},
	{Kind: Kind{Defect, "imp.id-repeated", "two impressions with one id"}, imps: 2, put: []value{put(impID, `"1"`)}},
	{Kind: Kind{Defect, "imp.no-format", "an impression without banner, video, audio and native"}, omit: []member{impBanner, impVideo, impAudio, impNative}},
	{Kind: Kind{Defect, "imp.floor-text", "a floor in quotes"}, put: []value{put(impFloor, `"0.5"`)}},
	{Kind: Kind{Defect, "imp.secure-bool", "true where a number belongs"}, put: []value{put(impSecure, "true")}},
	{Kind: Kind{Defect, "banner.no-size", "a banner without any size"}, formats: fmtBanner, channels: siteOnly, omit: []member{bannerW, bannerH, bannerFormat, impInstl, impVideo}},
	{Kind: Kind{Defect, "banner.w-text", "a width in quotes"}, formats: fmtBanner, put: []value{put(bannerW, `"300"`), put(bannerH, `"250"`)}},
	{Kind: Kind{Defect, "banner.w-fraction", "a width with a fraction"}, formats: fmtBanner, put: []value{put(bannerW, "300.5"), put(bannerH, "250")}},
	{Kind: Kind{Defect, "banner.w-negative", "a negative width"}, formats: fmtBanner, put: []value{put(bannerW, "-300"), put(bannerH, "250")}},
	{Kind: Kind{Defect, "banner.wmin", "limits of the size, which were removed from the specification"}, formats: fmtBanner, put: []value{put(bannerPos, `0,"wmin":300,"wmax":728`)}},
	{Kind: Kind{Defect, "format.half", "a format with a width and no height"}, formats: fmtBanner, put: []value{put(bannerFormat, `[{"w":300}]`, `[{"w":300,"h":250},{"h":90}]`)}},
	{Kind: Kind{Defect, "format.zero", "a format of zero size"}, formats: fmtBanner, put: []value{put(bannerFormat, `[{"w":0,"h":0}]`)}},
	{Kind: Kind{Defect, "video.mimes-missing", "a video without content types"}, formats: fmtVideo, omit: []member{videoMimes}},
	{Kind: Kind{Defect, "video.w-negative", "a player of negative size"}, formats: fmtVideo, put: []value{put(videoW, "-640"), put(videoH, "-360")}},
	{Kind: Kind{Defect, "native.request-broken", "a native request that is not JSON"}, formats: fmtNative, put: []value{put(nativeRequest, `"{\"ver\":\"1.2\",\"assets\":["`, `""`)}},
	{Kind: Kind{Defect, "native.no-assets", "a native request without assets"}, formats: fmtNative, put: []value{put(nativeRequest, `"{\"ver\":\"1.2\",\"assets\":[]}"`)}},
	{Kind: Kind{Defect, "deal.id-missing", "a deal without id"}, put: []value{put(pmpDeals, `[{"bidfloor":2.5,"at":1}]`)}},
	{Kind: Kind{Defect, "site.empty", "a site with neither id nor page"}, channels: siteOnly, omit: []member{siteID, sitePage}},
	{Kind: Kind{Defect, "device.array", "the device as an empty list, as PHP writes empty objects"}, put: []value{put(reqDevice, "[]")}},
	{Kind: Kind{Defect, "device.w-negative", "a screen of negative size"}, put: []value{put(devW, "-1"), put(devH, "-1")}},
	{Kind: Kind{Defect, "device.type-unknown", "a type of device that no list has"}, put: []value{put(devType, "99")}},
	{Kind: Kind{Defect, "device.geo-text", "coordinates in quotes"}, put: []value{put(devGeo, `{"lat":"52.52","lon":"13.4"}`)}},
	{Kind: Kind{Defect, "device.geo-range", "coordinates that are not on Earth"}, put: []value{put(devGeo, `{"lat":152.5,"lon":-400}`)}},
	{Kind: Kind{Defect, "regs.gdpr-two", "gdpr is neither 0 nor 1"}, newer: true, put: []value{put(regsGDPR, "2")}},
	{Kind: Kind{Defect, "regs.conflict", "two places with different values of gdpr"}, newer: true, put: []value{put(regsGDPR, "0"), put(regsExt, `{"gdpr":1}`)}},

	{Kind: Kind{Defect, "json.truncated", "cut off"}, watch: reqImp, edit: func(text []byte, start, at int) []byte {
		return text[:at+(len(text)-at)*2/3]
	}},
	{Kind: Kind{Defect, "json.empty", "nothing at all"}, noID: true, watch: reqID, edit: func(text []byte, start, _ int) []byte {
		return append(text[:start], ' ')
	}},
	{Kind: Kind{Defect, "json.html", "a page instead of a request"}, noID: true, watch: reqID, edit: func(text []byte, start, _ int) []byte {
		return append(text[:start], "<html><head><title>502 Bad Gateway</title></head></html>"...)
	}},
	{Kind: Kind{Defect, "json.form", "the request inside a form field"}, watch: reqID, edit: func(text []byte, start, _ int) []byte {
		return slices.Insert(text, start, []byte("request=")...)
	}},
	{Kind: Kind{Defect, "json.trailing-comma", "a comma before the last brace"}, watch: reqID, edit: func(text []byte, _, _ int) []byte {
		return append(text[:len(text)-1], ",}"...)
	}},
	{Kind: Kind{Defect, "json.trailing-text", "a second document on the same line"}, watch: reqID, edit: func(text []byte, _, _ int) []byte {
		return append(text, `{"id":"2"}`...)
	}},
	{Kind: Kind{Defect, "json.duplicate", "a key that is there twice"}, watch: reqImp, edit: func(text []byte, _, at int) []byte {
		return slices.Insert(text, at, []byte(`"imp":[{"id":"0","banner":{"w":1,"h":1}}],`)...)
	}},
	{Kind: Kind{Defect, "json.duplicate-escaped", "a key that is there twice, once with an escape"}, watch: reqImp, edit: func(text []byte, _, at int) []byte {
		return slices.Insert(text, at, []byte(`"i\u006dp":[{"id":"0","banner":{"w":1,"h":1}}],`)...)
	}},
	{Kind: Kind{Defect, "json.duplicate-ext", "a key of ext that is there twice"}, put: []value{put(reqExt, `{"seat":1,"seat":2}`)}},
	{Kind: Kind{Defect, "json.case", "a known key in capitals"}, watch: reqImp, edit: func(text []byte, _, at int) []byte {
		return slices.Insert(text, at, []byte(`"TMAX":5,`)...)
	}},
	{Kind: Kind{Defect, "json.control", "a control character in a string"}, watch: reqID, edit: insertInString("\x01")},
	{Kind: Kind{Defect, "json.escape", "an escape that JSON does not have"}, watch: reqID, edit: insertInString(`\x41`)},
	{Kind: Kind{Defect, "json.surrogate", "half of a surrogate pair"}, watch: reqID, edit: insertInString(`\ud83d`)},
	{Kind: Kind{Defect, "json.utf8", "Latin-1 in place of UTF-8"}, watch: reqID, edit: insertInString("K\xf6ln")},
	{Kind: Kind{Defect, "json.leading-zero", "a number with a leading zero"}, put: []value{put(reqTmax, "0120")}},
	{Kind: Kind{Defect, "json.nan", "a floor that is not a number"}, put: []value{put(impFloor, "NaN", "Infinity", "undefined")}},
	{Kind: Kind{Defect, "json.plus", "a number with a plus sign"}, put: []value{put(impFloor, "+0.5", ".5")}},
	{Kind: Kind{Defect, "json.overflow", "an integer that no integer type holds"}, put: []value{put(reqTmax, "99999999999999999999")}},
	{Kind: Kind{Defect, "json.single-quotes", "single quotes"}, put: []value{put(reqCur, `['USD']`)}},
	{Kind: Kind{Defect, "json.bare-key", "a key without quotes"}, watch: reqImp, edit: func(text []byte, _, at int) []byte {
		return slices.Delete(text, at, at+1)
	}},
	{Kind: Kind{Defect, "json.comment", "a comment"}, watch: reqImp, edit: func(text []byte, _, at int) []byte {
		return slices.Insert(text, at, []byte(`/* test */`)...)
	}},
	{Kind: Kind{Defect, "json.bom", "a byte order mark at the start"}, watch: reqID, edit: func(text []byte, start, _ int) []byte {
		return slices.Insert(text, start, []byte("\ufeff")...)
	}},
	{Kind: Kind{Defect, "json.depth", "nested a thousand levels deep"}, put: []value{put(reqExt, `{"a":`+strings.Repeat("[", 1100)+strings.Repeat("]", 1100)+`}`)}},
}

// insertInString returns an edit that inserts text at the start of the member's string.
func insertInString(piece string) func(text []byte, start, at int) []byte {
	return func(text []byte, _, at int) []byte {
		colon := at + bytes.IndexByte(text[at:], ':')
		quote := colon + bytes.IndexByte(text[colon:], '"')
		return slices.Insert(text, quote+1, []byte(piece)...)
	}
}
