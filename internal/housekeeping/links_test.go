package housekeeping

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// pageLink is a link or picture in a page; the title after its target is not used here.
	pageLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading  = regexp.MustCompile(`^#{1,6} +(.+?) *$`)
	// pageMention is a page that other files name, from the root.
	pageMention = regexp.MustCompile(`(?:lab/)?docs/[\w./-]*\.(?:md|svg|webp|json)\b`)
	// mentioning are the files that name pages: help, errors, comments, scripts, manifests.
	mentioning = regexp.MustCompile(`(\.(go|md|sh|ya?ml|json|txt|tmpl|html|py|cpp|hpp|h|sql|xml|service)|/Dockerfile|^Makefile)$`)
	// foreign are files with addresses of others, and of the past.
	foreign = regexp.MustCompile(`^(testdata/useragent/|lab/results/|docs/reference/renamed\.md$)`)
)

// linking says whether the links of a page are checked: those in test data lead nowhere.
func linking(name string) bool {
	return strings.HasSuffix(name, ".md") && !strings.Contains(name, "testdata/") || strings.HasPrefix(name, "testdata/") && strings.HasSuffix(name, "README.md")
}

// TestLinksLead follows every relative link of every page to its file, and to its heading.
func TestLinksLead(t *testing.T) {
	skipVariant(t)
	anchors := map[string]map[string]bool{}
	count := 0
	err := walk(func(name string) error {
		if !linking(name) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		for _, target := range linksOf(string(text)) {
			count++
			file, fragment, _ := strings.Cut(target, "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s links to %s: there is no %s", name, target, to)
				continue
			}
			if fragment == "" || !strings.HasSuffix(to, ".md") {
				continue
			}
			if anchors[to] == nil {
				page, err := os.ReadFile(filepath.Join(root, to))
				if err != nil {
					return err
				}
				anchors[to] = anchorsOf(string(page))
			}
			if !anchors[to][fragment] {
				t.Errorf("%s links to %s: %s has no such heading", name, target, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 100 {
		t.Errorf("found only %d links in the pages", count)
	}
}

// TestNamedPagesExist looks for the pages that code, help, scripts and other pages name.
func TestNamedPagesExist(t *testing.T) {
	skipVariant(t)
	count := 0
	err := walk(func(name string) error {
		if !mentioning.MatchString(name) || foreign.MatchString(name) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		for _, page := range mentionsOf(string(text)) {
			count++
			_, err := os.Stat(filepath.Join(root, page))
			if strings.HasPrefix(name, "lab/") && err != nil { // a module of its own, with pages of its own
				_, err = os.Stat(filepath.Join(root, "lab", page))
			}
			if err != nil {
				t.Errorf("%s names %s, which does not exist", name, page)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 100 {
		t.Errorf("found only %d pages named", count)
	}
}

// TestPagesAreListed compares the index of pages with the folders of pages.
func TestPagesAreListed(t *testing.T) {
	skipVariant(t)
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, target := range linksOf(string(index)) {
		file, _, _ := strings.Cut(target, "#")
		listed[path.Join("docs", file)] = true
	}
	for _, folder := range []string{"docs", "docs/reference", "lab/docs"} {
		entries, err := fs.ReadDir(os.DirFS(root), folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if name := path.Join(folder, e.Name()); strings.HasSuffix(name, ".md") && name != "docs/README.md" && !listed[name] {
				t.Errorf("docs/README.md does not list %s: add it where its reader looks", name)
			}
		}
	}
}

// linksOf returns the targets of a page's relative links. Code has none.
func linksOf(text string) (targets []string) {
	for _, line := range proseOf(text) {
		for _, m := range pageLink.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
			if u, err := url.Parse(m[1]); err != nil || u.Scheme == "" {
				targets = append(targets, m[1])
			}
		}
	}
	return targets
}

// mentionsOf returns the pages that a text names by their paths from the root, each once. In a path
// with more in front, or in an address, docs/ is another folder.
func mentionsOf(text string) (pages []string) {
	for _, at := range pageMention.FindAllStringIndex(text, -1) {
		if at[0] > 0 {
			if c := text[at[0]-1]; c == '/' || c == '-' || c == '.' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
				continue
			}
		}
		if page := text[at[0]:at[1]]; !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	return pages
}

// proseOf returns the lines of a page that are not code.
func proseOf(text string) (lines []string) {
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if !fenced {
			lines = append(lines, line)
		}
	}
	return lines
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)

// anchorsOf returns the anchors of a page's headings, as GitHub makes them: a heading that comes
// again gets a number.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, line := range proseOf(text) {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		title := pageTitle.ReplaceAllString(m[1], "$1")
		anchor := strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
		if anchors[anchor] {
			// A link to a heading that comes twice leads to the first, whoever reorders the page.
			delete(anchors, anchor)
			continue
		}
		anchors[anchor] = true
	}
	return anchors
}

// pageTitle is a link within a heading, which has the text of the link.
var pageTitle = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// TestLinksAreFound tests the parts of the tests above.
func TestLinksAreFound(t *testing.T) {
	const page = "# A `page`: 1\n[a](x.md#b) and [`c`](../y) and [z](https://z.example/docs/)\n`[no](no.md)`\n```\n# no\n[no](no.md)\n```\n## Twice\n## Twice\n### [Linked](x.md) one\n"
	if got := strings.Join(linksOf(page), " "); got != "x.md#b ../y x.md" {
		t.Errorf("links: %s", got)
	}
	anchors := anchorsOf(page)
	if len(anchors) != 2 || !anchors["a-page-1"] || !anchors["linked-one"] {
		t.Errorf("anchors: %v, want a-page-1 and linked-one", anchors)
	}
	if got := strings.Join(mentionsOf("see docs/check.md, lab/docs/tail.svg; https://x.example/docs/c.md ../docs/d.md (docs/check.md, docs/design.md)"), " "); got != "docs/check.md lab/docs/tail.svg docs/design.md" {
		t.Errorf("mentions: %s", got)
	}
}
