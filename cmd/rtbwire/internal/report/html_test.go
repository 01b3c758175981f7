package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// TestHTMLIsSafe puts hostile text everywhere and demands that none of it becomes markup, and
// that the page can't load anything.
func TestHTMLIsSafe(t *testing.T) {
	docs := samples()
	docs[1].Data = []byte(`{"a":"</pre></script><img src=x onerror=alert(1)>"}`)
	page := write(t, "html", docs, sampleInputs()...)
	if !utf8.ValidString(page) {
		t.Error("the page is not UTF-8")
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts, want its own", n)
	}
	for _, tag := range regexp.MustCompile(`<(img|link|iframe|object|base|svg[^>]*\son|[a-z]+[^>]*\s(src|href|on[a-z]+)=)`).FindAllString(page, -1) {
		t.Errorf("the page has %s", tag)
	}
	if regexp.MustCompile(`(?i)url\(|@import|https?://`).MatchString(page) {
		t.Error("the page refers to something outside")
	}
	script := regexp.MustCompile(`(?s)<script>(.*)</script>`).FindStringSubmatch(page)[1]
	hash := sha256.Sum256([]byte(script))
	if want := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"; !strings.Contains(strings.ReplaceAll(page, "&#43;", "+"), want) {
		t.Errorf("the policy does not allow the page's own script: %s", want)
	}
}

func TestHTML(t *testing.T) {
	page := write(t, "html", samples(), sampleInputs()...)
	for _, want := range []string{
		"<title>1 of 2 documents invalid", "<h1>1 of 2 documents is invalid</h1>", "1 of 2 inputs could not be read to its end",
		"<strong>50 %</strong>", "preset strict", "rtbwire v1.2.3", "first.json:1:4", "stopped in line 3", "7 more findings",
		"<mark>&#34;&lt;b&gt;&#34;</mark>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	page = write(t, "html", nil, &batch.InputStats{Name: "a"})
	if !strings.Contains(page, "<h1>No documents</h1>") || strings.Contains(page, "<form") {
		t.Error("a page about nothing talks about something")
	}
}

// TestHTMLLimits checks that the page does not grow with what is checked.
func TestHTMLLimits(t *testing.T) {
	var docs []*batch.Result
	var in []*batch.InputStats
	for i := range int64(500) {
		docs = append(docs, result("a", i+1, finding("Imp.id.required", schema.Error, 2*i+1), finding("Imp.id.required", schema.Error, 2*i+2)))
		in = append(in, &batch.InputStats{Name: fmt.Sprint("file", i)})
	}
	page := write(t, "html", docs, in...)
	if n := strings.Count(page, "<figure>"); n != HTMLExamplesMax {
		t.Errorf("%d examples, want %d", n, HTMLExamplesMax)
	}
	if !strings.Contains(page, "a:1:4") || strings.Contains(page, "a:2:4") || !strings.Contains(page, "a:3:4") {
		t.Error("examples are not from different documents")
	}
	if n := strings.Count(page, "<td>file"); n != htmlFilesMax || !strings.Contains(page, "And 300 more.") {
		t.Errorf("%d files are listed", n)
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("ä", 500)
	for _, tt := range []struct {
		doc                   string
		offset                int
		before, marked, after string
		cutBefore, cutAfter   bool
	}{
		{doc: `{"a":"b","c":1}`, offset: 5, before: `{"a":`, marked: `"b"`, after: `,"c":1}`},
		{doc: `{"a":"b","c":12}`, offset: 13, before: `{"a":"b","c":`, marked: `12`, after: `}`},
		{doc: `{"a":"\"b"}`, offset: 5, before: `{"a":`, marked: `"\"b"`, after: `}`},
		{doc: `{"a":[1]}`, offset: 5, before: `{"a":`, marked: `[`, after: `1]}`},
		{doc: `{"a":`, offset: 5, before: `{"a":`},
		{doc: `{"a":"b`, offset: 5, before: `{"a":`, marked: `"b`},
		{doc: `{"a":1}`, offset: -1, after: `{"a":1}`},
		{doc: `{}`, offset: 99, before: `{}`},
		{doc: ``, offset: 0},
		{doc: "{\"\x01\xff\"", offset: 0, marked: "{", after: "\"␁\ufffd\""},
		{doc: long + "1" + long, offset: 1000, before: strings.Repeat("ä", htmlBefore/2), marked: "1" + strings.Repeat("ä", 39), after: strings.Repeat("ä", htmlAfter/2), cutBefore: true, cutAfter: true},
	} {
		got := snippet([]byte(tt.doc), tt.offset)
		if got.Before != tt.before || got.Marked != tt.marked || got.After != tt.after || got.CutBefore != tt.cutBefore || got.CutAfter != tt.cutAfter {
			t.Errorf("snippet(%.20q, %d) = %+v", tt.doc, tt.offset, got)
		}
	}
}
