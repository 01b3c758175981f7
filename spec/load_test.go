package spec_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rtbwire/rtbwire/spec"
)

// edited returns the files with a text in one of them replaced; from must occur.
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

// TestLoadSaysWhatToRepair goes through the mistakes of a monthly update: the error has to
// name the file and the change to make.
func TestLoadSaysWhatToRepair(t *testing.T) {
	facts := spec.OpenRTB().File
	field := `{"json": "tagid", `
	for _, c := range []struct {
		name           string
		file, from, to string
		want           []string // the lines of the error
	}{
		{"a new field", facts, field, `{"json": "new_field", "type": "string"}, ` + field, []string{
			`names-openrtb.json: objects.Imp.fields has no "new_field": add "new_field": {"go": "NewField", "doc": "..."}`,
			facts + `: counts.fields is 417, but there are 418: correct the one that is wrong`,
		}},
		{"a field that is gone", "names-openrtb.json", `"tagid": {`, `"gone": {"go": "Gone", "doc": "Gone."}, "tagid": {`, []string{
			`names-openrtb.json: objects.Imp.fields has "gone", which ` + facts + ` has not (any more): remove it`,
		}},
		{"a new object", facts, `"objects": [`, `"objects": [{"name": "Fresh", "section": "3.2.99", "side": "request", "fields": []}, `, []string{
			`names-openrtb.json: objects has no "Fresh": add "Fresh": {"go": "Fresh", "family": "...", "doc": "is ...", "fields": {...}}; the family is the file openrtb/types_FAMILY.go`,
			facts + `: counts.objects is 38, but there are 39: correct the one that is wrong`,
		}},
		{"an object that is gone", "names-openrtb.json", `"objects": {`, `"objects": {"Gone": {"go": "Gone"}, `, []string{
			`names-openrtb.json: objects has "Gone", which ` + facts + ` has not (any more): remove it`,
		}},
		{"no family", "names-openrtb.json", `"family": "imp"`, `"family": ""`, []string{
			`names-openrtb.json: objects.Imp has no family, which is the Go file of the type: add "family": "..."`,
		}},
		{"a new list", "lists.json", `"lists": [`, `"lists": [{"name": "AdCOM:Fresh", "source": "AdCOM 1.0", "values": []}, `, []string{
			`names-lists.json: lists has no "AdCOM:Fresh": add "AdCOM:Fresh": {"go": "...", "doc": "tells ...", "values": {...}}`,
		}},
		{"a list that is gone", "names-lists.json", `"lists": {`, `"lists": {"AdCOM:Gone": {"go": "Gone"}, `, []string{
			`names-lists.json: lists has "AdCOM:Gone", which lists.json has not (any more): remove it`,
		}},
		{"a new code", "lists.json", `{"value": 1, "label": "browser`, `{"value": 4, "label": "fresh"}, {"value": 1, "label": "browser`, []string{
			`names-lists.json: lists.AdCOM:Agent Types.values has no "4": add "4": {"go": "AgentType...", "doc": "..."}, which is fresh`,
		}},
		{"a code that is gone", "names-lists.json", `"1": {"go": "AgentTypeDevice"`, `"x": {}, "1": {"go": "AgentTypeDevice"`, []string{
			`names-lists.json: lists.AdCOM:Agent Types.values has "x", which lists.json has not (any more): remove it`,
		}},
		{"a range without a beginning", "lists.json", `"ranges": [{"min": 500, "max": null`, `"ranges": [{"min": 500, "max": 1`, []string{
			`lists.json: a range of AdCOM:Agent Types has no min, or a max below it`,
		}},
		{"no list of the name", facts, `"list": "AdCOM:Pod Sequence"`, `"list": "AdCOM:Pods"`, []string{
			`lists.json: Video.podseq of ` + facts + ` names the list "AdCOM:Pods": add it here, or correct the name there`,
		}},
		{"no type of the name", facts, `"type": "object:Banner"`, `"type": "object:Baner"`, []string{
			facts + `: Imp.banner has the type "object:Baner": expected string, integer, float, ext, object:any or object:NAME with an object of this file`,
		}},
		{"no field of the name", facts, `"replaced_by": "plcmt"`, `"replaced_by": "plcmnt"`, []string{
			facts + `: Video.placement refers to "plcmnt", which Video has not`,
		}},
		{"a new unit", facts, `"unit": "kbps"`, `"unit": "mbps"`, []string{
			`names-openrtb.json: units has no "mbps", which Video.minbitrate has: add "mbps": "..."`,
		}},
		{"a unit that is gone", "names-openrtb.json", `"units": {`, `"units": {"mbps": "megabits per second", `, []string{
			`names-openrtb.json: no field has units.mbps (any more): remove it`,
		}},
		{"a format that is gone", "names-openrtb.json", `"formats": {`, `"formats": {"gone": "", `, []string{
			`names-openrtb.json: no field has formats.gone (any more): remove it`,
		}},
		{"a new format", "native-1.2.json", `"format": "mime-type"`, `"format": "media-type"`, []string{
			`names-openrtb.json: formats has no "media-type", which NativeImageRequest.mimes has: add "media-type": "...", empty if the sentences of the fields say it`,
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
		{"a rule twice", facts, `"id": "BidRequest.imp.required"`, `"id": "BidRequest.id.required"`, []string{
			facts + `: rule BidRequest.id.required is there twice`,
		}},
		{"a rule about nothing", facts, `"id": "BidRequest.id.required", "object": "BidRequest"`, `"id": "BidRequest.id.required", "object": "Bidrequest"`, []string{
			facts + `: rule BidRequest.id.required is about "Bidrequest", which is no object of this file`,
		}},
		{"a rule's list", facts, `"op": "enum", "field": "at", "list": "OpenRTB:Auction Types"`, `"op": "enum", "field": "at", "list": "OpenRTB:Auctions"`, []string{
			`lists.json: rule BidRequest.at.values of ` + facts + ` names the list "OpenRTB:Auctions": add it here, or correct the name there`,
		}},
		{"a rule's format", facts, `"op": "format", "field": "cur", "format": "iso-4217"`, `"op": "format", "field": "cur", "format": "iso-4218"`, []string{
			facts + `: rule BidRequest.cur.format names the format "iso-4218", which formats has not`,
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

// TestLoadFiles: the version is in the name of the facts, so one update leaves two files.
func TestLoadFiles(t *testing.T) {
	files := edited(t, "", "", "")
	files["openrtb-2.6-209912.json"] = files[spec.OpenRTB().File]
	if _, err := spec.Load(files); err == nil || !strings.Contains(err.Error(), "openrtb-*.json: there are 2 such files, expected one: remove the older") {
		t.Errorf("two versions: %v", err)
	}
	if _, err := spec.Load(fstest.MapFS{}); err == nil {
		t.Error("no files, and no error")
	}
}
