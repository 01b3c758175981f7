package supply

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// parseSellers reads a sellers.json file.
func parseSellers(text string) (*table, filewatch.Result, error) {
	return (&sellersParser{entriesMax: 1000}).parse("exchange.com", strings.NewReader(text))
}

// file is a sellers.json file with the sellers.
func file(sellers string) string { return `{"sellers":[` + sellers + `]}` }

// sample has the forms of the specification's sample (sellers.json 1.0).
const sample = `{
  "contact_email": "adops@system.example",
  "contact_address": "System Inc., \"101\" Main Street",
  "version": "1.0",
  "identifiers": [ { "name": "TAG-ID", "value": "28cb65e5bbc0bd5f" } ],
  "sellers": [
    { "seller_id": "1942009976", "name": "Publisher1", "domain": "publisher1.com", "seller_type": "PUBLISHER" },
    { "seller_id": "1397382429", "name": "Exchange1", "domain": "exchange1.com", "seller_type": "INTERMEDIARY" },
    { "seller_id": "101010101", "name": "Hybrid", "domain": "hybridseller.com", "seller_type": "BOTH", "comment": "O&O and others' inventory" },
    { "seller_id": "00000001", "seller_type": "INTERMEDIARY", "is_confidential": 1 },
    { "seller_id": "EB_0001", "name": "P", "domain": "passthrough.com", "seller_type": "PUBLISHER", "is_passthrough": 1, "ext": {"a": [1, {}]} }
  ]
}
`

var sellersCases = []struct {
	name, text string
	want       string // "id Seller" separated by semicolons, as fmt prints it
	entries    int
	skipped    int
	first      string
	err        string
}{
	{
		name: "the sample", text: sample, entries: 5,
		want: "1942009976 {PUBLISHER false false publisher1.com};1397382429 {INTERMEDIARY false false exchange1.com};" +
			"101010101 {BOTH false false hybridseller.com};00000001 {INTERMEDIARY true false };EB_0001 {PUBLISHER false true passthrough.com};" +
			"1 {not listed false false };eb_0001 {not listed false false }",
	},
	{name: "nobody", text: `{"sellers":[]}`, want: "1 {not listed false false }"},
	{name: "nobody, with white space", text: " {\t\"sellers\" : [ ] , \"version\":\"1.0\" } \r\n", want: "1 {not listed false false }"},
	{name: "byte order mark", text: "\ufeff" + file(`{"seller_id":"1","seller_type":"BOTH"}`), want: "1 {BOTH false false }", entries: 1},
	{
		name: "forms", entries: 4,
		text: file(`{"seller_id":" 1 ","seller_type":"publisher","is_confidential":0,"is_passthrough":"1"},` +
			`{"seller_id":2,"seller_type":"Both","is_confidential":true,"is_passthrough":null,"domain":null},` +
			`{"seller_\u0069d":"\u0033\/","seller_type":"INTERM\u0045DIARY","domain":"https://WWW.Example.com/x"},` +
			`{"seller_id":"4","seller_type":"BOTH","domain":"Example Inc"}`),
		want: "1 {PUBLISHER false true };2 {BOTH true false };3/ {INTERMEDIARY false false www.example.com};4 {BOTH false false }",
	},
	{
		name: "twice, the first counts", entries: 1,
		text: file(`{"seller_id":"1","seller_type":"PUBLISHER","domain":"first.com"},{"seller_id":"1","seller_type":"BOTH","domain":"second.com"}`),
		want: "1 {PUBLISHER false false first.com}",
	},
	{
		name: "bad sellers", entries: 10, skipped: 15, first: "line 2: " + errBadSeller.Error(),
		text: file("\n" + `null,1,"x",[],{},{"seller_id":null,"seller_type":"BOTH"},{"seller_type":"BOTH"},` +
			`{"seller_id":"1"},{"seller_id":"2","seller_type":"OWNER","domain":"a.com"},{"seller_id":"3","seller_type":7},{"seller_id":"4","seller_type":"BOTH","is_confidential":2},` +
			`{"seller_id":"5","seller_type":"BOTH","domain":{}},{"seller_id":"6","seller_type":"BOTH","seller_type":"BOTH"},{"seller_id":"8","seller_type":"BOTH","is_passthrough":[]},` +
			`{"seller_id":"7","seller_type":"BOTH"},{"seller_id":"","seller_type":"BOTH"}` + ",\n" + `{"seller_id":"9","seller_type":"BOTH"},{"seller_id":"a","seller_type":"BOTH","name":"\ud800 ` + "\xff" + `"}`),
		want: "1 {unknown false false };2 {unknown false false };3 {unknown false false };4 {unknown false false };5 {unknown false false };" +
			"6 {unknown false false };8 {unknown false false };7 {BOTH false false };9 {BOTH false false };a {BOTH false false }",
	},
	{name: "an id that is not Unicode", text: file(`{"seller_id":"` + "\xff" + `","seller_type":"BOTH"},{"seller_id":"1","seller_type":"BOTH"}`), entries: 1, skipped: 1, first: "line 1: " + errBadSeller.Error(), want: "1 {BOTH false false }"},
	{name: "ids that are numbers but not integers", text: file(`{"seller_id":1.5,"seller_type":"BOTH"},{"seller_id":-1,"seller_type":"BOTH"},{"seller_id":"1","seller_type":"BOTH"}`), entries: 1, skipped: 2, first: "line 1: " + errBadSeller.Error(), want: "1.5 {not listed false false };-1 {not listed false false }"},
	{name: "names in other places", text: `{"x":{"sellers":1},"sellers":[{"seller_id":"1","seller_type":"BOTH","ext":{"seller_id":"2","domain":5}}]}`, entries: 1, want: "1 {BOTH false false };2 {not listed false false }"},

	{name: "all sellers are bad", text: file(`1,2`), err: errAllBad.Error()},
	{name: "nothing", text: "", err: "line 1: " + errEnds.Error()},
	{name: "an array", text: "[]", err: "line 1: " + errObject.Error()},
	{name: "HTML", text: "\n<html>", err: "line 2: " + errObject.Error()},
	{name: "no sellers", text: `{"version":"1.0"}`, err: errNoSellers.Error()},
	{name: "an empty object", text: `{}`, err: errNoSellers.Error()},
	{name: "sellers are no array", text: `{"sellers":{}}`, err: "line 1: " + errNoSellers.Error()},
	{name: "sellers twice", text: `{"sellers":[],` + "\n" + `"s\u0065llers":[]}`, err: "line 2: " + errTwice.Error()},
	{name: "sellers in other letters", text: `{"Sellers":[]}`, err: errNoSellers.Error()},
	{name: "text after it", text: `{"sellers":[]} x`, err: "line 1: " + errAfter.Error()},
	{name: "no comma", text: `{"sellers":[] "a":1}`, err: "line 1: " + errComma.Error()},
	{name: "a comma too many", text: `{"sellers":[],}`, err: "line 1: " + errValue.Error()},
	{name: "a comma too many in the array", text: file(`{"seller_id":"1","seller_type":"BOTH"},`), err: "line 1: " + errValue.Error()},
	{name: "a key without quotes", text: `{sellers:[]}`, err: "line 1: " + errKey.Error()},
	{name: "a key that is not a string", text: `{1:[]}`, err: "line 1: " + errKey.Error()},
	{name: "no colon", text: `{"sellers" []}`, err: "line 1: " + errColon.Error()},
	{name: "cut off", text: `{"sellers":[{"seller_id":"1"`, err: "line 1: " + errEnds.Error()},
	{name: "cut off in an escape", text: `{"sellers":[{"seller_id":"1\`, err: "line 1: " + errEnds.Error()},
	{name: "cut off after a seller", text: `{"sellers":[{}`, err: "line 1: " + errEnds.Error()},
	{name: "cut off after a key", text: `{"sellers"`, err: "line 1: " + errEnds.Error()},
	{name: "not JSON in a seller", text: file("{\n\"seller_id\":\n01}"), err: "line 3: a number has no leading zeros"},
	{name: "not JSON in another member", text: `{"a":tru,"sellers":[]}`, err: "line 1: expected a value"},
	{name: "not JSON in a bad seller", text: file(`[1 2]`), err: "line 1: expected , or ] after an element"},
	{name: "brackets that do not match", text: file(`{"seller_id":]`), err: "line 1: expected a value"},
	{name: "no key in a seller", text: file(`{1:2}`), err: "line 1: expected a key in double quotes"},
	{name: "no colon in a seller", text: file(`{"a" 2}`), err: "line 1: expected : after the key"},
	{name: "no comma in a seller", text: file(`{"a":2 3}`), err: "line 1: expected , or } after a member"},
	{name: "two values", text: file(`{}{}`), err: "line 1: " + errComma.Error()},
	{name: "nested deeply", text: file(strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000)), err: "line 1: nested deeper than the limit"},
	{name: "nested deeply in a seller", text: file(`{"ext":` + strings.Repeat("[", depthMax) + strings.Repeat("]", depthMax) + "}"), err: "line 1: nested deeper than the limit"},
	{name: "100,000 levels", text: file(strings.Repeat("[", 100_000)), err: "line 1: " + errLength.Error()},
	{name: "a long seller", text: file(`{"name":"` + strings.Repeat("x", ValueMax) + `"}`), err: "line 1: " + errLength.Error()},
	{name: "a long number", text: file(strings.Repeat("1", ValueMax+1)), err: "line 1: " + errLength.Error()},
	{name: "too many sellers", text: file(strings.Repeat(`{"seller_id":"1","seller_type":"BOTH"},`, 1000) + `{}`), err: "line 1: the file has more than 1000 sellers"},
	{name: "NUL", text: "{\x00}", err: "line 1: " + errKey.Error()},
}

func TestSellers(t *testing.T) {
	for _, c := range sellersCases {
		t.Run(c.name, func(t *testing.T) {
			table, result, err := parseSellers(c.text)
			_, _, slowErr := (&sellersParser{entriesMax: 1000}).parse("", iotest.HalfReader(strings.NewReader(c.text)))
			if fmt.Sprint(err) != fmt.Sprint(slowErr) {
				t.Errorf("%v in one piece, in halves: %v", err, slowErr)
			}
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("the error is %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			first := ""
			if result.SkippedFirst != nil {
				first = result.SkippedFirst.Error()
			}
			if result.Entries != c.entries || result.Skipped != c.skipped || first != c.first {
				t.Errorf("%d entries, %d skipped, %q, want %d, %d, %q", result.Entries, result.Skipped, first, c.entries, c.skipped, c.first)
			}
			for want := range strings.SplitSeq(c.want, ";") {
				id, seller, _ := strings.Cut(want, " ")
				if got := fmt.Sprint(sellerIn(table, sellerKey(id))); got != seller {
					t.Errorf("%s: %s, want %s", id, got, seller)
				}
			}
		})
	}
}

func TestSellersReaderFails(t *testing.T) {
	broken := errors.New("broken disk")
	text := `{"a":1,"sellers":[{"seller_id":"1"}]}`
	for n := range len(text) + 1 {
		_, _, err := (&sellersParser{entriesMax: 10}).parse("", failing(text[:n], broken))
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v, want %v", text[:n], err, broken)
		}
	}
}

// TestSystems looks up systems by their domain, and below it.
func TestSystems(t *testing.T) {
	s := open(t, map[string]string{
		"sellers/exchange.com.json":     file(`{"seller_id":"1","seller_type":"PUBLISHER"}`),
		"sellers/own.exchange.com.json": file(`{"seller_id":"2","seller_type":"BOTH"}`),
		"sellers/Upper.com.json":        file(`{"seller_id":"3","seller_type":"BOTH"}`),
		"sellers/notjson.com.txt":       file(`{"seller_id":"4","seller_type":"BOTH"}`),
		"sellers/sellers.json":          file(`{"seller_id":"5","seller_type":"BOTH"}`),
	}).Snapshot()
	for _, c := range []struct {
		system, id string
		want       SellerType
	}{
		{"exchange.com", "1", SellerPublisher}, {" Exchange.com. ", " 1 ", SellerPublisher}, {"exchange.com", "2", SellerNotListed}, {"exchange.com", "", SellerNotListed},
		{"own.exchange.com", "2", SellerBoth}, {"own.exchange.com", "1", SellerNotListed},
		{"sub.exchange.com", "1", SellerPublisher}, {"sub.exchange.com", "2", SellerUnknown}, {"a.own.exchange.com", "1", SellerUnknown},
		{strings.Repeat("a.", 100) + "exchange.com", "1", SellerPublisher},
		{"upper.com", "3", SellerBoth}, {"notjson.com", "4", SellerUnknown}, {"sellers", "5", SellerUnknown}, {"com", "1", SellerUnknown}, {"not a domain", "1", SellerUnknown},
	} {
		if got := s.Seller(c.system, c.id); got.Type != c.want {
			t.Errorf("%q, %q: %v, want %v", c.system, c.id, got.Type, c.want)
		}
	}
	if got := (&Snapshot{}).Seller("exchange.com", "1"); got.Type != SellerUnknown {
		t.Errorf("without a folder: %v", got.Type)
	}
}
