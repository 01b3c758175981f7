package supply

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

var longLine = "exchange.com, " + strings.Repeat("x", LineMax) + ", DIRECT"

// adsCases are ads.txt files of example.com. Want has accounts and their relations; an account that
// is not listed has "unauthorized", and "unknown" where the file declares nothing.
var adsCases = []struct {
	name, text string
	want       string // "system seller relation" separated by commas
	entries    int
	skipped    int
	first      string // the first skipped line
	err        string
}{
	// The forms of the examples of ads.txt 1.1.
	{
		name: "one direct seller", text: "greenadexchange.com, XF7342, DIRECT, 5jyxf8k54",
		want: "greenadexchange.com XF7342 direct, greenadexchange.com xf7342 unauthorized, redssp.com XF7342 unauthorized", entries: 1,
	},
	{name: "one reseller", text: "redssp.com, 57013, RESELLER", want: "redssp.com 57013 reseller", entries: 1},
	{
		name: "several, with comments", entries: 4,
		text: "# Ads.txt file for example.com:\ngreenadexchange.com, 12345, DIRECT, d75815a79\nsilverssp.com, 9675, RESELLER, f496211\n" +
			"blueadexchange.com, XF436, DIRECT\norangeexchange.com, 45678, RESELLER # why\n",
		want: "greenadexchange.com 12345 direct, silverssp.com 9675 reseller, blueadexchange.com XF436 direct, " +
			"orangeexchange.com 45678 reseller, orangeexchange.com 12345 unauthorized",
	},
	{
		name: "variables", entries: 1,
		text: "greenadexchange.com, 12345, DIRECT, AEC242\nCONTACT=adops@example.com\nOWNERDOMAIN=example.com\nSUBDOMAIN=divisionone.example.com\n",
		want: "greenadexchange.com 12345 direct",
	},
	{
		name: "nobody is authorized", text: "placeholder.example.com, placeholder, DIRECT, placeholder\n",
		want: "placeholder.example.com placeholder unauthorized, exchange.com 1 unauthorized",
	},
	{
		name: "the placeholder beside others", text: "placeholder.example.com, placeholder, DIRECT, placeholder\nexchange.com,1,DIRECT",
		want: "placeholder.example.com placeholder unauthorized, exchange.com 1 direct", entries: 1,
	},

	{name: "an empty file declares nothing", want: "exchange.com 1 unknown"},
	{name: "comments declare nothing", text: "# none\n\n \t\n#", want: "exchange.com 1 unknown"},
	{name: "variables declare no sellers", text: "OWNERDOMAIN=example.com", want: "exchange.com 1 unknown"},

	{
		name: "ends of lines", text: "a.com,1,DIRECT\rb.com,2,DIRECT\r\nc.com,3,DIRECT\n\r\n\rd.com,4,DIRECT\r", entries: 4,
		want: "a.com 1 direct, b.com 2 direct, c.com 3 direct, d.com 4 direct",
	},
	{name: "byte order mark", text: "\ufeffa.com,1,DIRECT", want: "a.com 1 direct", entries: 1},
	{name: "only a byte order mark", text: "\ufeff", want: "a.com 1 unknown"},
	{name: "a byte order mark where files were joined", text: "a.com,1,DIRECT\n\ufeffb.com,1,DIRECT", want: "b.com 1 direct", entries: 2},
	{name: "white space", text: "\t a.com\t,\v1 \f, \tDIRECT , x \t#c", want: "a.com 1 direct", entries: 1},
	{name: "letters of a domain", text: "Exchange.COM.,a,DIRECT", want: "exchange.com a direct, EXCHANGE.com a direct, exchange.com A unauthorized", entries: 1},
	{name: "other letters", text: "b\u00fccher.example,1,DIRECT", want: "xn--bcher-kva.example 1 direct, B\u00dcCHER.example 1 direct", entries: 1},
	{name: "the relationship in any letters", text: "a.com,1,direct\nb.com,1,Reseller", want: "a.com 1 direct, b.com 1 reseller", entries: 2},
	{name: "direct and reseller", text: "a.com,1,DIRECT\na.com,1,RESELLER\na.com,1,direct,x", want: "a.com 1 both", entries: 1},
	{name: "more fields", text: "a.com,1,DIRECT,x,y,z", want: "a.com 1 direct", entries: 1},
	{name: "extensions", text: "a.com,1,DIRECT,x;y=z\nb.com,1,RESELLER;q\n;only\nc.com;,1,DIRECT", want: "a.com 1 direct, b.com 1 reseller, c.com 1 unauthorized", entries: 2, skipped: 1, first: "line 4: " + errLine.Error()},
	{
		name: "URL encoding", text: "a.com,1%2C2%20x,DIRECT\na.com,50%,DIRECT\na.com,%zz%4,DIRECT", entries: 3,
		want: "a.com 1,2 x direct, a.com 50% direct, a.com %zz%4 direct, a.com 1%2C2%20x unauthorized",
	},
	{name: "a control character by URL encoding", text: "a.com,1%00,DIRECT\nb.com,1,DIRECT", want: "b.com 1 direct", entries: 1, skipped: 1, first: "line 1: " + errSeller.Error()},
	{name: "an equals sign in an id", text: "a.com,x=y,DIRECT", want: "a.com x=y direct", entries: 1},

	{
		name: "bad lines", entries: 1, skipped: 10, first: "line 2: " + errLine.Error(), want: "a.com 1 direct, b.com 1 unauthorized",
		text: "a.com,1,DIRECT\nb.com\nb.com,1\nb.com,1,OWNER\nb.com,1,\n,1,DIRECT\nb.com,,DIRECT\n.b.com,1,DIRECT\n*.b.com,1,DIRECT\nhttps://b.com/,1,DIRECT\nb.com 1 DIRECT\n",
	},
	{name: "not UTF-8", text: "a.com,1,DIRECT\nb.com,\xff,DIRECT\n\xff.com,1,DIRECT # \xff", want: "a.com 1 direct", entries: 1, skipped: 2, first: "line 2: " + errSeller.Error()},
	{name: "an id that is too long", text: "a.com,1,DIRECT\nb.com," + strings.Repeat("x", sellerMax+1) + ",DIRECT", want: "a.com 1 direct", entries: 1, skipped: 1, first: "line 2: " + errSeller.Error()},
	{name: "the longest id", text: "a.com," + strings.Repeat("x", sellerMax) + ",DIRECT", want: "a.com " + strings.Repeat("x", sellerMax) + " direct", entries: 1},
	{name: "a long line", text: "a.com,1,DIRECT\n" + longLine + "\nb.com,1,DIRECT", want: "b.com 1 direct", entries: 2, skipped: 1, first: "line 2: " + errLong.Error()},
	{
		name: "the end of a long line is not a line", text: "a.com,1,DIRECT\n" + strings.Repeat("#", 20*LineMax) + ",\vevil.com,1,DIRECT\nb.com,1,DIRECT",
		want: "b.com 1 direct, evil.com 1 unauthorized", entries: 2, skipped: 1, first: "line 2: " + errLong.Error(),
	},
	{name: "the longest line", text: "a.com,1,DIRECT," + strings.Repeat(" ", LineMax-len("a.com,1,DIRECT,")), want: "a.com 1 direct", entries: 1},
	{name: "bad variables", text: "a.com,1,DIRECT\nOWNERDOMAIN=\nSUBDOMAIN=a b\nMANAGERDOMAIN=a.com,FRA\nMANAGERDOMAIN=/,FR\nINVENTORYPARTNERDOMAIN=..", want: "a.com 1 direct", entries: 1, skipped: 5, first: "line 2: " + errVariable.Error()},
	{name: "an unknown variable", text: "a.com,1,DIRECT\nSOMETHING=x", want: "a.com 1 direct", entries: 1},

	{name: "HTML", text: "\n<!DOCTYPE html>\n<html>a.com,1,DIRECT", err: "line 2: " + errHTML.Error()},
	{name: "HTML after a comment", text: "# x\n <HTML>", err: "line 2: " + errHTML.Error()},
	{name: "a page of text", text: "404 Not Found", err: errNoRecord.Error()},
	{name: "JSON", text: `{"error":"not found"}`, err: errNoRecord.Error()},
	{name: "a program", text: "var x = 1;", err: errNoRecord.Error()},
	{name: "a long line only", text: longLine, err: errNoRecord.Error()},
	{name: "NUL", text: "a.com,1,DIRECT\nb\x00", err: "line 2: " + filewatch.ErrBinary.Error()},
	{name: "NUL in a long line", text: "a.com,1,DIRECT\r\n" + strings.Repeat("x", 5*LineMax) + "\x00" + strings.Repeat("x", 5*LineMax), err: "line 2: " + filewatch.ErrBinary.Error()},
	{name: "UTF-16", text: "\xff\xfea\x00.\x00\n\x00", err: "line 1: " + filewatch.ErrBinary.Error()},
	{name: "too many entries", text: strings.Repeat("a.com,1,DIRECT\n", 1001), err: "line 1001: the file has more than 1000 entries"},
}

func TestAdsTxt(t *testing.T) {
	for _, c := range adsCases {
		t.Run(c.name, func(t *testing.T) {
			file, result, err := parseAds("example.com", c.text)
			slow, _, slowErr := (&adsParser{entriesMax: 1000}).parse("example.com", iotest.OneByteReader(strings.NewReader(c.text)))
			if fmt.Sprint(err) != fmt.Sprint(slowErr) || err == nil && len(slow.records) != len(file.records) {
				t.Errorf("%v in one piece, byte by byte: %v", err, slowErr)
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
			p := Publisher{own: file}
			for want := range strings.SplitSeq(c.want, ", ") {
				system, rest, _ := strings.Cut(want, " ")
				at := strings.LastIndexByte(rest, ' ')
				if got := p.Relation(system, rest[:at]).String(); got != rest[at+1:] {
					t.Errorf("%s, %s: %s, want %s", system, rest[:at], got, rest[at+1:])
				}
			}
		})
	}
}

func TestVariables(t *testing.T) {
	f, _, err := parseAds("example.com", `
ownerdomain = https://www.MediaCompany.com/about
OWNERDOMAIN=second.com
MANAGERDOMAIN=yellow.com, FR
managerdomain=blue.com,us # comment
MANAGERDOMAIN=default.com;extension
MANAGERDOMAIN=other.com
MANAGERDOMAIN=red.com, fr
SubDomain=b.example.com
SUBDOMAIN=a.example.com
SUBDOMAIN=B.example.com.
INVENTORYPARTNERDOMAIN=partner.com
exchange.com, 1, DIRECT
`)
	if err != nil {
		t.Fatal(err)
	}
	p := Publisher{own: f}
	for country, want := range map[string]string{"": "default.com", "DE": "default.com", "FR": "yellow.com", "fr": "yellow.com", "US": "blue.com"} {
		if got := p.ManagerDomain(country); got != want {
			t.Errorf("ManagerDomain(%q) = %q, want %q", country, got, want)
		}
	}
	if p.OwnerDomain() != "www.mediacompany.com" || p.Domain() != "example.com" {
		t.Errorf("the owner is %q, the domain %q", p.OwnerDomain(), p.Domain())
	}
	if !slices.Equal(f.subdomains, []string{"a.example.com", "b.example.com"}) || !f.refersTo("a.example.com") || f.refersTo("c.example.com") {
		t.Errorf("subdomains: %q", f.subdomains)
	}
	if !f.hasPartner("partner.com") || f.hasPartner("example.com") {
		t.Errorf("partners: %q", f.partners)
	}
	var none Publisher
	if none.OwnerDomain() != "" || none.ManagerDomain("FR") != "" || none.Domain() != "" || none.Known() || none.Relation("a.com", "1") != Unknown {
		t.Error("a publisher without a file declares something")
	}
	if p.Relation("not a domain", "1") != Unauthorized || p.Relation("exchange.com", "") != Unauthorized {
		t.Error("a malformed account is not unauthorized")
	}
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("broken disk")
	for _, text := range []string{"", "a", "a.com,1,DIRECT\nb"} {
		p := &adsParser{entriesMax: 10}
		r := iotest.DataErrReader(strings.NewReader(text))
		if _, _, err := p.parse("example.com", r); err != nil && text != "a" {
			t.Errorf("%q: %v", text, err)
		}
		_, _, err := p.parse("example.com", failing(text, broken))
		if !errors.Is(err, broken) {
			t.Errorf("%q: %v, want %v", text, err, broken)
		}
	}
}

func TestStrings(t *testing.T) {
	for got, want := range map[string]string{
		Unknown.String(): "unknown", Both.String(): "both", Relation(9).String(): "Relation(9)",
		SellerNotListed.String(): "not listed", SellerBoth.String(): "BOTH", SellerType(9).String(): "SellerType(9)",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
