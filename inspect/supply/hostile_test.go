package supply

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// endless is a text that repeats until the limit. It makes nothing in memory.
type endless struct {
	text string
	n    int // read
	max  int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n >= e.max {
		return 0, io.EOF
	}
	p = p[:min(len(p), e.max-e.n)]
	for i := 0; i < len(p); {
		i += copy(p[i:], e.text[(e.n+i)%len(e.text):])
	}
	e.n += len(p)
	return len(p), nil
}

// allocated returns how many bytes do allocates.
func allocated(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc) //nolint:gosec // small
}

// TestHostileTexts reads 100 MB of the worst shapes, in memory that does not grow with the text.
func TestHostileTexts(t *testing.T) {
	size := testkit.Scale(t, 2<<20, 4<<20, 100<<20)
	for _, c := range []struct {
		name, start, text, end string
		want                   string
	}{
		{"ads.txt: one line", "", "x", "", errNoRecord.Error()},
		{"ads.txt: one line after a good one", "a.com,1,DIRECT\n", "x", "", ""},
		{"ads.txt: one comment", "", "#", "", errNoRecord.Error()}, // longer than a line
		{"ads.txt: comments", "", "# comment\n", "", ""},
		{"ads.txt: line ends", "", "\r\n\n", "", ""},
		{"ads.txt: the same line", "", "exchange.com, 1, DIRECT\n", "", "line 40001: the file has more than 40000 entries"},
		{"ads.txt: bad lines", "a.com,1,DIRECT\n", "<html>\n", "", ""},
		{"ads.txt: unknown variables", "a.com,1,DIRECT\n", "a=b\n", "", ""},
		{"ads.txt: subdomains", "", "SUBDOMAIN=a.example.com\n", "", "line 40001: the file has more than 40000 entries"},
		{"sellers.json: levels", `{"sellers":[`, "[", "", "line 1: " + errLength.Error()},
		{"sellers.json: a string", `{"sellers":[{"seller_id":"`, "x", "", "line 1: " + errLength.Error()},
		{"sellers.json: a key", `{"`, "x", "", "line 1: " + errLength.Error()},
		{"sellers.json: a number", `{"sellers":[`, "1", "", "line 1: " + errLength.Error()},
		{"sellers.json: white space", ``, " ", "", "line 1: " + errEnds.Error()},
		{"sellers.json: white space in between", `{"sellers":[`, "\t", `]}`, ""},
		{"sellers.json: other members", `{"sellers":[]`, `,"a":{}`, `}`, ""},
		{"sellers.json: bad sellers", `{"sellers":[{"seller_id":"1","seller_type":"BOTH"}`, `,{}`, `]}`, "line 1: the file has more than 40000 sellers"},
		{"sellers.json: backslashes", `{"`, `\`, "", "line 1: " + errLength.Error()},
	} {
		r := io.MultiReader(strings.NewReader(c.start), &endless{text: strings.Repeat(c.text, 4096), max: size / len(c.text) * len(c.text)}, strings.NewReader(c.end))
		var err error
		bytes := allocated(func() {
			if strings.HasPrefix(c.name, "ads.txt") {
				_, _, err = (&adsParser{entriesMax: 40_000}).parse("example.com", r)
			} else {
				_, _, err = (&sellersParser{entriesMax: 40_000}).parse("example.com", r)
			}
		})
		message := ""
		if err != nil {
			message = err.Error()
		}
		if message != c.want {
			t.Errorf("%s: the error is %q, want %q", c.name, message, c.want)
		}
		const bytesMax = 8 << 20 // 40,000 entries, in slices that grew
		if bytes > bytesMax {
			t.Errorf("%s: %d bytes were allocated", c.name, bytes)
		}
	}
}

// TestHostileFiles has files of every bad kind in the folders: the others are read.
func TestHostileFiles(t *testing.T) {
	folder := tree(t, map[string]string{
		"ads_txt/good.com.txt": record("1"), "ads_txt/large.com": strings.Repeat("#", 2000), "ads_txt/nul.com": "a\x00", "ads_txt/html.com": "<html>",
		"sellers/good.com.json": file(`{"seller_id":"1","seller_type":"BOTH"}`), "sellers/deep.com.json": strings.Repeat("[", 1000),
	})
	for _, name := range []string{"ads_txt/folder.com", "sellers/folder.com.json"} {
		check(t, os.Mkdir(filepath.Join(folder, name), 0o700))
	}
	for link, target := range map[string]string{"ads_txt/loop.com": "loop.com", "ads_txt/gone.com": "nothing", "ads_txt/link.com": "good.com.txt", "sellers/self.com.json": "."} {
		check(t, os.Symlink(target, filepath.Join(folder, link)))
	}
	o := folders(folder)
	o.Limits = Limits{AdsTxtSizeMax: 1999, SellersSizeMax: 999}
	s, err := Open(o)
	check(t, err)
	for name, want := range map[string]int{NameAdsTxt: 6, NameSellers: 3} {
		if got := s.Status()[name]; got.Refused != want || len(got.Problems) != want {
			t.Errorf("%s: %d refused, want %d: %v", name, got.Refused, want, got.Problems)
		}
	}
	if p := s.Status()[NameAdsTxt].Problems; !errors.Is(p[0], filewatch.ErrNotRegular) || !errors.Is(errors.Join(p...), filewatch.ErrTooLarge) {
		t.Errorf("%v", p)
	}
	now := s.Snapshot()
	for _, domain := range []string{"good.com", "link.com"} {
		relation(t, now.AdsTxt(domain), domain, "1")
	}
	if now.Seller("good.com", "1").Type != SellerBoth {
		t.Error("the good sellers.json is not read")
	}
}

// TestCircles has files that refer to each other, and to themselves.
func TestCircles(t *testing.T) {
	s := open(t, map[string]string{
		"ads_txt/a.com":     record("a") + "SUBDOMAIN=a.com\nSUBDOMAIN=b.com\nSUBDOMAIN=x.a.com\nINVENTORYPARTNERDOMAIN=b.com\nOWNERDOMAIN=b.com\n",
		"ads_txt/x.a.com":   record("x") + "SUBDOMAIN=y.x.a.com\nSUBDOMAIN=a.com\n",
		"ads_txt/y.x.a.com": record("y"),
		"ads_txt/b.com":     record("b") + "SUBDOMAIN=a.com\nINVENTORYPARTNERDOMAIN=a.com\nOWNERDOMAIN=a.com\n",
	}).Snapshot()
	for domain, want := range map[string]string{"a.com": "a", "x.a.com": "x", "y.x.a.com": "a", "b.com": "b"} {
		relation(t, s.AdsTxt(domain), domain, want)
	}
}

// TestManyNames has a folder with more files than the limit.
func TestManyNames(t *testing.T) {
	files := map[string]string{}
	for i := range 5 {
		files[fmt.Sprintf("ads_txt/%d.com", i)] = record("1")
	}
	o := folders(tree(t, files))
	o.Limits.FilesMax = 4
	if _, err := Open(o); err == nil || !strings.HasSuffix(err.Error(), "the folder has more than 4 files") {
		t.Errorf("the error is %v", err)
	}
}
