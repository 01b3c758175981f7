package spec_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rtbwire/rtbwire/spec"
)

// edited returns the files with one text replaced in one of them. The text must occur.
func edited(t *testing.T, file, from, to string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	names, err := fs.Glob(spec.Files(), "*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(spec.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		if name == file {
			if !strings.Contains(string(data), from) {
				t.Fatalf("%s does not hold %s", file, from)
			}
			data = []byte(strings.Replace(string(data), from, to, 1))
		}
		out[name] = &fstest.MapFile{Data: data}
	}
	return out
}

// TestLoadSaysWhatToRepair makes the mistakes of a monthly update. The error must name the file and
// the change to make.
func TestLoadSaysWhatToRepair(t *testing.T) {
	facts := spec.OpenRTB().File
	field := `{"json": "tagid", `
	counts := spec.OpenRTB().Counts
	wrongCount := func(name string, n int) string {
		return fmt.Sprintf("%s: counts.%s is %d, but there are %d: correct the one that is wrong", facts, name, n, n+1)
	}
	for _, c := range []struct {
		name           string
		file, from, to string
		want           []string // the lines of the error
	}{
		{"a new field", facts, field, `{"json": "new_field", "type": "string"}, ` + field, []string{
			`names-openrtb.json: objects.Imp.fields has no "new_field": add "new_field": {"go": "NewField", "doc": "..."}`,
			wrongCount("fields", counts.Fields),
		}},
		{"a new field with a rule", facts, field, `{"json": "new_field", "type": "integer", "flag": true}, ` + field, []string{
			`names-openrtb.json: objects.Imp.fields has no "new_field": add "new_field": {"go": "NewField", "doc": "..."}`,
			wrongCount("fields", counts.Fields),
			wrongCount("rules", counts.Rules),
		}},
		{"a new version", facts, `"version": "` + spec.OpenRTB().Version, `"version": "2.6-209912`, []string{
			facts + `: the last of releases is ` + spec.OpenRTB().Version + `, but version is 2.6-209912: correct the one that is wrong`,
		}},
		{"a field of no release", facts, `"since": "2.6-202402"`, `"since": "2.6-209912"`, []string{
			facts + `: since of Video.poddedupe is "2.6-209912", but releases has no such version: add {"version": "2.6-209912", "source": "..."}, or correct it`,
		}},
		{"a field that is gone", "names-openrtb.json", `"tagid": {`, `"gone": {"go": "Gone", "doc": "Gone."}, "tagid": {`, []string{
			`names-openrtb.json: objects.Imp.fields has "gone", but ` + facts + ` does not: remove it`,
		}},
		{"a new object", facts, `"objects": [`, `"objects": [{"name": "Fresh", "section": "3.2.99", "side": "request", "fields": []}, `, []string{
			`names-openrtb.json: objects has no "Fresh": add "Fresh": {"go": "Fresh", "family": "...", "doc": "is ...", "fields": {...}}; the family is the file openrtb/types_FAMILY.go`,
			wrongCount("objects", counts.Objects),
		}},
		{"an object that is gone", "names-openrtb.json", `"objects": {`, `"objects": {"Gone": {"go": "Gone"}, `, []string{
			`names-openrtb.json: objects has "Gone", but ` + facts + ` does not: remove it`,
		}},
		{"no family", "names-openrtb.json", `"family": "imp"`, `"family": ""`, []string{
			`names-openrtb.json: objects.Imp has no family, which is the Go file of the type: add "family": "..."`,
		}},
		{"a new list", "lists.json", `"lists": [`, `"lists": [{"name": "AdCOM:Fresh", "source": "AdCOM 1.0", "values": []}, `, []string{
			`names-lists.json: lists has no "AdCOM:Fresh": add "AdCOM:Fresh": {"go": "...", "doc": "tells ...", "values": {...}}`,
		}},
		{"a list that is gone", "names-lists.json", `"lists": {`, `"lists": {"AdCOM:Gone": {"go": "Gone"}, `, []string{
			`names-lists.json: lists has "AdCOM:Gone", but lists.json does not: remove it`,
		}},
		{"a new code", "lists.json", `{"value": 1, "label": "browser`, `{"value": 4, "label": "fresh"}, {"value": 1, "label": "browser`, []string{
			`names-lists.json: lists.AdCOM:Agent Types.values has no "4": add "4": {"go": "AgentType...", "doc": "..."}, which is fresh`,
		}},
		{"a code that is gone", "names-lists.json", `"1": {"go": "AgentTypeDevice"`, `"x": {}, "1": {"go": "AgentTypeDevice"`, []string{
			`names-lists.json: lists.AdCOM:Agent Types.values has "x", but lists.json does not: remove it`,
		}},
		{"a range without a beginning", "lists.json", `"ranges": [{"min": 500, "max": null`, `"ranges": [{"min": 500, "max": 1`, []string{
			`lists.json: a range of AdCOM:Agent Types has no min, or a max below it`,
		}},
		{"no list of the name", facts, `"list": "AdCOM:Pod Sequence"`, `"list": "AdCOM:Pods"`, []string{
			`lists.json: no list "AdCOM:Pods", which Video.podseq in ` + facts + ` names: add it, or correct the name there`,
			`lists.json: no list "AdCOM:Pods", which rule Video.podseq.enum in ` + facts + ` names: add it, or correct the name there`,
		}},
		{"no type of the name", facts, `"type": "object:Banner"`, `"type": "object:Baner"`, []string{
			facts + `: Imp.banner has the type "object:Baner": expected string, integer, float, ext, object:any or object:NAME with an object of this file`,
		}},
		{"no field of the name", facts, `"replaced_by": "plcmt"`, `"replaced_by": "plcmnt"`, []string{
			facts + `: Video.placement refers to "plcmnt", but Video has no such field`,
		}},
		{"a new unit", facts, `"unit": "kbps"`, `"unit": "mbps"`, []string{
			`names-openrtb.json: units has no "mbps", which Video.minbitrate has: add "mbps": "..."`,
		}},
		{"a unit that is gone", "names-openrtb.json", `"units": {`, `"units": {"mbps": "megabits per second", `, []string{
			`names-openrtb.json: units.mbps is not used: remove it`,
		}},
		{"a format that is gone", "names-openrtb.json", `"formats": {`, `"formats": {"gone": "", `, []string{
			`names-openrtb.json: formats.gone is not used: remove it`,
		}},
		{"a new format", "native.json", `"format": "mime-type"`, `"format": "media-type"`, []string{
			`names-openrtb.json: formats has no "media-type", which NativeImageRequest.mimes has: add "media-type": "...", empty if the sentences of the fields say it`,
		}},
		{"a format without words for findings", "names-openrtb.json", `  "isrc": "an ISRC",` + "\n", ``, []string{
			`names-openrtb.json: expected has no "isrc", which rule Content.isrc.format checks: add "isrc": "...", what a finding says was expected`,
		}},
		{"words for findings that are gone", "names-openrtb.json", `"expected": {`, `"expected": {"gone": "a thing", `, []string{
			`names-openrtb.json: expected.gone is not used: remove it`,
		}},
		{"a condition without words", "names-openrtb.json", `, "required_if": "sourcetype is 1"`, ``, []string{
			`names-openrtb.json: objects.Qty.fields.vendor has no required_if: add "required_if": "...", which says "sourcetype == 1" in words`,
		}},
		{"a Go name twice", "names-openrtb.json", `"tagid": {"go": "TagID"`, `"tagid": {"go": "BidFloor"`, []string{
			`names-openrtb.json: objects.Imp.fields.bidfloor has the Go name BidFloor, which objects.Imp.fields.tagid has too`,
		}},
		{"no Go name", "names-openrtb.json", `"tagid": {"go": "TagID"`, `"tagid": {"go": "tagID"`, []string{
			`names-openrtb.json: objects.Imp.fields.tagid has the Go name "tagID": expected an exported identifier`,
		}},
		{"a constant twice", "names-lists.json", `"go": "AgentTypeInApp"`, `"go": "AgentTypeDevice"`, []string{
			`names-lists.json: lists.AdCOM:Agent Types.values.2 has the Go name AgentTypeDevice, which lists.AdCOM:Agent Types.values.1 has too`,
		}},
		{"no sentence", "names-lists.json", `"doc": "tells how a user id is scoped."`, `"doc": "tells how a user id is scoped"`, []string{
			`names-lists.json: lists.AdCOM:Agent Types has the doc "tells how a user id is scoped": expected sentences that end with a full stop`,
		}},
		{"a slip of the pen", "names-lists.json", `"doc": "tells how a user`, `"docs": "tells how a user`, []string{
			`names-lists.json: json: unknown field "docs"`,
		}},
		{"not JSON", "names-openrtb.json", `"formats": {`, `"formats": `, []string{
			`names-openrtb.json: line 16: invalid character ':' after object key:value pair`,
		}},
		{"a type of JSON", facts, `"section": "3.2.1"`, `"section": 3.2`, []string{
			facts + `: line `,
		}},
		{"a rule twice", facts, `"id": "any.utf8"`, `"id": "any.object"`, []string{
			facts + `: rule any.object is defined twice`,
		}},
		{"a rule about nothing", facts, `"id": "BidRequest.imp.min", "object": "BidRequest"`, `"id": "BidRequest.imp.min", "object": "Bidrequest"`, []string{
			facts + `: rule BidRequest.imp.min is about "Bidrequest", but there is no such object`,
		}},
		{"a rule's list", facts, `"op": "enum", "field": "at", "list": "OpenRTB:Auction Types"`, `"op": "enum", "field": "at", "list": "OpenRTB:Auctions"`, []string{
			`lists.json: no list "OpenRTB:Auctions", which rule BidRequest.at.values in ` + facts + ` names: add it, or correct the name there`,
		}},
		{"a rule's format", facts, `"op": "format", "field": "ver", "format": "major.minor"`, `"op": "format", "field": "ver", "format": "major-minor"`, []string{
			facts + `: rule Native.ver.format names the format "major-minor", which formats does not have`,
		}},
		{"a rule's words", facts, `"level": "must", "kind": "type", "scope": "both", "source": "spec", "check": {"op": "type", "type": "object"}`,
			`"level": "may", "kind": "types", "scope": "all", "source": "spec", "check": {"op": "typ", "type": "object"}`, []string{
				facts + `: rule any.object has the level "may", which legend.rule_level does not explain`,
				facts + `: rule any.object has the scope "all", which legend.rule_scope does not explain`,
				facts + `: rule any.object has the kind "types", which legend.rule_kind does not explain`,
				facts + `: rule any.object has the op "typ", which legend.check_ops does not explain`,
			}},
		{"a severity without a reason", facts, `, "severity_why": "a matter of tidiness"`, ``, []string{
			facts + `: rule any.empty-array has a severity of its own: add "severity_why"`,
		}},
		{"a silence of nothing", facts, `{"rule": "Imp.dt.ms", "when": "dt < 0"`, `{"rule": "Imp.dt.sec", "when": "dt < 0"`, []string{
			facts + `: a silence of Imp.dt.sec (dt < 0): there is no such rule`,
		}},
		{"a silence for nothing", facts, `"yields_to": "DOOH.exclusive"`, `"yields_to": "DOOH.inclusive"`, []string{
			facts + `: a silence of BidRequest.channel.exclusive (dooh present) yields to "DOOH.inclusive": expected another rule`,
		}},
		{"a silence of itself", facts, `"yields_to": "DOOH.exclusive"`, `"yields_to": "BidRequest.channel.exclusive"`, []string{
			facts + `: a silence of BidRequest.channel.exclusive (dooh present) yields to "BidRequest.channel.exclusive": expected another rule`,
		}},
		{"a silence about no field", facts, `"field": "BidResponse.seatbid"`, `"field": "seatbid"`, []string{
			facts + `: a silence of any.empty-array has the field "seatbid", but there is no such field`,
		}},
		{"a silence without a reason", facts, `"yields_to": "DOOH.exclusive", "why": "`, `"yields_to": "DOOH.exclusive", "reason": "`, []string{
			facts + `: a silence of BidRequest.channel.exclusive (dooh present) needs a why and an example`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := spec.Load(edited(t, c.file, c.from, c.to))
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(c.want) {
				t.Fatalf("error:\n%v\nexpected:\nspec: %s", err, strings.Join(c.want, "\nspec: "))
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, "spec: "+c.want[i]) {
					t.Errorf("line %d of the error:\n%s\nexpected:\nspec: %s", i+1, line, c.want[i])
				}
			}
		})
	}
}

func TestLoadNothing(t *testing.T) {
	if _, err := spec.Load(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "lists.json: open lists.json: file does not exist") {
		t.Errorf("no files: %v", err)
	}
}
