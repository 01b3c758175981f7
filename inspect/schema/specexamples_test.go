package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// This file checks the examples that the specifications print, and explains each finding.

// specExample is an entry of testdata/spec-examples/manifest.json.
type specExample struct {
	File, Kind string
	Deviations []string
}

func specExamples(t testing.TB) []specExample {
	t.Helper()
	var manifest struct{ Examples []specExample }
	if err := json.Unmarshal(readFile(t, shared+"spec-examples/manifest.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	if n := len(manifest.Examples); n != 48 {
		t.Fatalf("%d examples, want 48", n)
	}
	return manifest.Examples
}

// wrapped puts an example where its kind belongs: into a clean request or response, or into both
// for rules about the pair.
func (x specExample) wrapped(t testing.TB) (request, response []byte) {
	t.Helper()
	doc := readFile(t, shared+"spec-examples/"+x.File)
	object := func(v any) map[string]any { return v.(map[string]any) }
	into := func(base, pointer string, v any) []byte {
		return edited(t, clean(t, base), pointer+" = "+string(encode(t, v)))
	}
	switch x.Kind {
	case "request":
		return doc, nil
	case "response":
		return nil, doc
	case "fragment:BidRequest":
		frame := object(decodeAny(t, edited(t, clean(t, "site"), "- /regs/gdpr")))
		part := object(decodeAny(t, doc))
		if part["app"] != nil || part["dooh"] != nil {
			delete(frame, "site")
		}
		maps.Copy(frame, part)
		return encode(t, frame), nil
	case "fragment:Imp":
		imp := object(decodeAny(t, doc))
		imp["id"] = "1"
		return into("site", "/imp", []any{imp}), nil
	case "fragment:Content":
		return into("site", "/site/content", decodeAny(t, doc)), nil
	case "fragment:SeatBid(bid as single object)":
		return nil, into("response", "/seatbid", []any{decodeAny(t, doc)})
	case "fragment:native-wrapper/NativeRequest":
		return into("site", "/imp/3/native/request", string(doc)), nil
	case "fragment:native-wrapper/NativeResponse", "fragment:NativeResponse(assets only)":
		asked := readFile(t, shared+"spec-examples/"+strings.NewReplacer("-response", "-request", "-assetsurl-body", "-thirdparty-request").Replace(x.File))
		return into("site", "/imp/3/native/request", string(asked)), into("answer", "/seatbid/1/bid/1/adm", string(doc))
	}
	t.Fatalf("%s is of the kind %q, which the test does not know", x.File, x.Kind)
	return nil, nil
}

// specPairs are examples that answer each other.
var specPairs = [][2]string{
	{"requests/7.9.6.1-dooh-banner.json", "responses/7.9.6.2-dooh-banner.json"},
	{"requests/7.9.6.3-dooh-video.json", "responses/7.9.6.4-dooh-video.json"},
}

// TestSpecExamples compares the findings on all examples with a golden file.
func TestSpecExamples(t *testing.T) {
	c := strict(t)
	var b strings.Builder
	usedDeviations, usedReasons := map[string]bool{}, map[int]bool{}
	report := func(x specExample, r Report, request, response []byte) {
		checkCounts(t, r)
		checkPlaces(t, r, request, response)
		fmt.Fprintf(&b, "%s (%s)\n", x.File, x.Kind)
		if len(r.Findings) == 0 {
			b.WriteString("\tnothing\n")
		}
		for _, f := range r.Findings {
			if f.ID == "json.syntax" || f.ID == "json.depth" || f.ID == "json.limit" {
				t.Errorf("%s can't be read: %s at %d", x.File, f.Message, f.Offset)
			}
			why := ""
			for _, d := range x.Deviations {
				if deviates(x, d, f) {
					why = "deviation: " + d
					usedDeviations[x.File+d] = true
				}
			}
			for i, e := range specReasons {
				if ok, err := path.Match(e.file, x.File); err != nil || why == "" && ok && e.about(f.ID) {
					why = e.why
					usedReasons[i] = true
				}
			}
			if why == "" {
				t.Errorf("%s: no explanation for %s at %q", x.File, f.ID, f.Path)
			}
			fmt.Fprintf(&b, "\t%v %s %s\n\t\t%s\n", f.Severity.Level(), f.ID, f.Path, why)
		}
	}
	byFile := map[string]specExample{}
	for _, x := range specExamples(t) {
		byFile[x.File] = x
		request, response := x.wrapped(t)
		switch {
		case response == nil:
			report(x, c.Request(request), request, nil)
		case request == nil:
			report(x, c.Response(response), nil, response)
		default:
			report(x, c.Pair(request, response), request, response)
		}
	}
	for _, pair := range specPairs {
		request, _ := byFile[pair[0]].wrapped(t)
		_, response := byFile[pair[1]].wrapped(t)
		x := byFile[pair[1]]
		x.Kind = "answer to " + pair[0]
		report(x, c.Pair(request, response), request, response)
	}
	golden(t, "testdata/spec-examples.golden", b.String())

	for _, x := range byFile {
		for _, d := range x.Deviations {
			silent := slices.ContainsFunc(specSilent, func(s string) bool { return strings.Contains(d, s) })
			if silent == usedDeviations[x.File+d] {
				t.Errorf("%s: the deviation %q has a finding: %v, expected %v", x.File, d, !silent, silent)
			}
		}
	}
	for i, e := range specReasons {
		if !usedReasons[i] {
			t.Errorf("nothing is explained by %q for %s of %s", e.why, e.rules, e.file)
		}
	}
}

// deviates reports whether a finding is about a deviation that the manifest lists.
func deviates(x specExample, deviation string, f Finding) bool {
	place, what, _ := strings.Cut(deviation, ": ")
	place = "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(place)
	switch {
	case strings.Contains(what, "not in Native:"):
		return strings.HasSuffix(f.ID, ".enum") && strings.HasSuffix(f.Path, "#"+place)
	case strings.Contains(what, "not in the field table"):
		return f.ID == "any.custom-in-ext" && strings.HasSuffix(f.Path, place)
	case strings.Contains(what, "expected"):
		return f.ID == "any.type" && strings.HasSuffix(f.Path, place)
	case strings.HasPrefix(deviation, "printed with a native wrapper"):
		return f.ID == "Native.request.root11" || f.ID == "Bid.native.adm"
	case strings.HasPrefix(deviation, "bid is shown as one object"):
		return f.ID == "any.type" && strings.HasSuffix(f.Path, "/bid")
	case strings.HasPrefix(deviation, "imp.dt "):
		return strings.HasPrefix(f.ID, "Imp.dt.")
	case strings.HasPrefix(deviation, "geo.lon missing"):
		return f.ID == "DOOH.device.geo"
	case strings.HasPrefix(deviation, "nurl and iurl contain a space"):
		return f.ID == "Bid.nurl.format" || f.ID == "Bid.iurl.format"
	case strings.HasPrefix(deviation, "burl contains a space"):
		return f.ID == "Bid.burl.format"
	case strings.HasPrefix(deviation, "id and impid do not match"):
		return f.ID == "BidResponse.id.match" || f.ID == "Bid.impid.ref"
	}
	return false
}

// specSilent are deviations without a finding: markup is not parsed, the rules of the native
// specification are not checked here, and this test adds what a fragment leaves out.
var specSilent = []string{
	"adm is cut off", "adm holds a placeholder", "unclosed CDATA",
	"id: required field absent", // an empty object is one way to send a no-bid
	"whole-request shape, but id is elided",
}

// specReason explains findings that are not deviations.
type specReason struct{ file, rules, why string }

func (e specReason) about(rule string) bool {
	for pattern := range strings.FieldsSeq(e.rules) {
		if ok, err := path.Match(pattern, rule); ok || err != nil {
			return true
		}
	}
	return false
}

var specReasons = []specReason{
	{"requests/6.2.*", "Banner.format.recommended", "the example has the older w and h instead of format"},
	{"requests/*", "BidRequest.*.recommended", "the example leaves out an object that is recommended"},
	{"requests/*", "Imp.displaymanager", "the example leaves out what is recommended for video and apps"},
	{"requests/*", "Device.*.recommended Device.ua.always Device.ip.one", "the example shows some fields of the device only"},
	{"requests/*", "Video.*.recommended", "the example leaves out fields that are recommended"},
	{"requests/6.2.4-*", "Video.playbackmethod.first", "the example is older than the advice to send one playback method"},
	{"requests/7.9.6.*", "DOOH.device.geotype", "recommended by section 7.9.2.5, whose examples leave it out"},
	{"responses/*", "Bid.ids.adquality", "the example leaves out one or more of adomain, cid, crid, iurl, cat and attr"},
	{"responses/7.9.6.2-*", "Bid.markup.present", "the markup is in the undefined member banner"},
	{"responses/7.9.6.4-*", "Bid.burl.vast", "section 7.8 advises against what this example shows"},
	{"fragments/native-6.1-*-response.json", "NativeEventTrackerResponse.offered", "the request misspells the member that offers events"},
	{"fragments/native-6.3-assetsurl-body.json", "NativeAssetResponse.required", "the example shows the assets that the document at assetsurl adds"},
	{"fragments/native-6.2-*", "any.custom-in-ext", "the example shows members of video that the table leaves to OpenRTB"},
	{"fragments/7.10.2-*", "Video.* Imp.displaymanager", fragmentReason},
	{"fragments/7.4-video-*", "Video.* Imp.displaymanager", fragmentReason},
	{"fragments/7.6-*", "Video.*.recommended Imp.displaymanager", fragmentReason},
	{"fragments/7.12.4-*", "Device.*", fragmentReason},
	{"fragments/7.12.4-ex8-*", "UID.atype.present", "the example leaves out what is recommended"},
	{"fragments/7.14.5-*", "App.identity", fragmentReason},
	{"fragments/7.14.5-*", "Imp.displaymanager", "the impressions around the fragment are made for a site"},
}

const fragmentReason = "the fragment shows only the fields that its section is about"
