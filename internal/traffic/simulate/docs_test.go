package simulate_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate/judge"
	"github.com/rtbwire/rtbwire/openrtb"
)

const (
	page    = "docs/traffic.md"
	picture = "docs/simulate.svg"
)

// TestDocument holds the tables and the picture of the document to what the package does. The
// shares of verdicts come from today's engine, so a new inspector changes them.
func TestDocument(t *testing.T) {
	withoutRace(t)
	table := judged(t)
	mixes := measured(t)
	sections := map[string]string{
		"sizes":     sizeTable(mixes),
		"formats":   formatTable(mixes),
		"exchanges": exchangeTable(),
		"clean":     markdown(t, table, simulate.Clean),
		"defects":   markdown(t, table, simulate.Defect),
		"payloads":  markdown(t, table, simulate.Payload),
		"encodings": encodings(t, table),
		"fraud":     markdown(t, table, simulate.Fraud),
	}
	file := testkit.Path(t, page)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		begin, end := "<!-- "+name+": written by go test ./internal/traffic/simulate -run Document -update -->\n", "<!-- /"+name+" -->"
		before, rest, ok := strings.Cut(got, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for %s: expected the lines %q and %q", page, name, begin, end)
		}
		got = before + begin + sections[name] + end + after
	}
	same(t, page, text, []byte(got))
	old, err := os.ReadFile(testkit.Path(t, picture))
	if err != nil && !updating() {
		t.Fatal(err)
	}
	same(t, picture, old, []byte(draw(mixes)))
}

// withoutRace skips what takes the race detector minutes and starts hardly a goroutine.
func withoutRace(t *testing.T) {
	t.Helper()
	if testkit.Race {
		t.Skip("the race detector would take minutes")
	}
}

func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// same compares a file with what it should be, or writes it.
func same(t *testing.T, name string, old, want []byte) {
	t.Helper()
	if bytes.Equal(old, want) {
		return
	}
	if !updating() {
		t.Errorf("%s is not what the package makes: run go test ./internal/traffic/simulate -run Document -update, and read the difference", name)
		return
	}
	if err := os.WriteFile(testkit.Path(t, name), want, 0o600); err != nil {
		t.Fatal(err)
	}
}

// judged returns the verdicts of the default configuration about every kind of fault.
func judged(t *testing.T) *judge.Table {
	t.Helper()
	g, err := simulate.New(simulate.Config{Seed: 26, Defects: simulate.Percent(30), Payloads: simulate.Percent(20), Fraud: simulate.Percent(30)})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := inspect.New(inspect.Config{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := judge.Run(t.Context(), g, engine, judge.Options{Count: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func markdown(t *testing.T, table *judge.Table, c simulate.Class) string {
	t.Helper()
	var b strings.Builder
	if err := table.WriteMarkdown(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func encodings(t *testing.T, table *judge.Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.WriteEncodings(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// mix is what a set of requests consists of.
type mix struct {
	name    string
	sizes   []int // sorted
	mean    int
	formats map[string]int // impressions by format
	places  map[string]int // requests by channel
	country map[string]int
	os      map[string]int
}

func (m *mix) percentile(p int) int { return m.sizes[p*(len(m.sizes)-1)/100] }

// permille is a share in thousandths.
func permille(counts map[string]int, key string) int {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	if sum == 0 {
		return 0
	}
	return (counts[key]*1000 + sum/2) / sum
}

// measured returns the corpus and the shapes.
func measured(t *testing.T) []*mix {
	t.Helper()
	corpus := newMix("corpus")
	for _, d := range testkit.Documents(t) {
		if !d.Response && !d.Example() {
			corpus.add(d.Text)
		}
	}
	mixes := []*mix{corpus}
	for _, s := range simulate.Shapes() {
		g, err := simulate.New(simulate.Config{Seed: 26, Shape: s})
		if err != nil {
			t.Fatal(err)
		}
		m := newMix(s.String())
		var text []byte
		for n := range uint64(4000) {
			text, _ = g.AppendRequest(text[:0], n)
			m.add(text)
		}
		mixes = append(mixes, m)
	}
	for _, m := range mixes {
		slices.Sort(m.sizes)
		m.mean /= len(m.sizes)
	}
	return mixes
}

func newMix(name string) *mix {
	return &mix{name: name, formats: map[string]int{}, places: map[string]int{}, country: map[string]int{}, os: map[string]int{}}
}

// add counts a request. Those of the corpus that do not decode count by their size alone.
func (m *mix) add(text []byte) {
	m.sizes = append(m.sizes, len(text))
	m.mean += len(text)
	var r openrtb.BidRequest
	if json.Unmarshal(text, &r) != nil {
		return
	}
	for _, imp := range r.Imp {
		for format, there := range map[string]bool{"banner": imp.Banner != nil, "video": imp.Video != nil, "audio": imp.Audio != nil, "native": imp.Native != nil} {
			if there {
				m.formats[format]++
			}
		}
	}
	for place, there := range map[string]bool{"site": r.Site != nil, "app": r.App != nil, "dooh": r.DOOH != nil} {
		if there {
			m.places[place]++
		}
	}
	if r.Device == nil {
		return
	}
	if r.Device.OS != "" {
		m.os[r.Device.OS]++
	}
	if r.Device.Geo != nil && r.Device.Geo.Country != "" {
		m.country[r.Device.Geo.Country]++
	}
}

func sizeTable(mixes []*mix) string {
	b := new(strings.Builder)
	b.WriteString("| bytes | p10 | p50 | p90 | p99 | mean | largest |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, m := range mixes {
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d |\n", m.name, m.percentile(10), m.percentile(50), m.percentile(90), m.percentile(99), m.mean, m.sizes[len(m.sizes)-1])
	}
	return b.String()
}

var (
	formatNames = []string{"banner", "video", "native", "audio"}
	placeNames  = []string{"site", "app", "dooh"}
)

func formatTable(mixes []*mix) string {
	b := new(strings.Builder)
	b.WriteString("| percent | banner | video | native | audio | site | app | dooh |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, m := range mixes {
		fmt.Fprintf(b, "| %s |", m.name)
		for _, f := range formatNames {
			fmt.Fprintf(b, " %s |", percent(permille(m.formats, f)))
		}
		for _, p := range placeNames {
			fmt.Fprintf(b, " %s |", percent(permille(m.places, p)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func percent(thousandths int) string { return fmt.Sprintf("%d.%d", thousandths/10, thousandths%10) }

func exchangeTable() string {
	b := new(strings.Builder)
	b.WriteString("| exchange | share | writes |\n| --- | ---: | --- |\n")
	for _, e := range simulate.Exchanges() {
		fmt.Fprintf(b, "| %s | %v | %s |\n", e.Domain, e.Share, e.About)
	}
	return b.String()
}

// TestLikeTheCorpus checks that sizes and formats of the shape mixed are close to the corpus'.
func TestLikeTheCorpus(t *testing.T) {
	withoutRace(t)
	mixes := measured(t)
	corpus, mixed := mixes[0], mixes[1]
	for _, p := range []int{10, 50, 90, 99} {
		if want, got := corpus.percentile(p), mixed.percentile(p); got < want*85/100 || got > want*115/100 {
			t.Errorf("percentile %d is %d bytes, in the corpus %d", p, got, want)
		}
	}
	if mixed.mean < corpus.mean*85/100 || mixed.mean > corpus.mean*115/100 {
		t.Errorf("%d bytes in the mean, in the corpus %d", mixed.mean, corpus.mean)
	}
	for _, f := range formatNames {
		if want, got := permille(corpus.formats, f), permille(mixed.formats, f); got < want-60 || got > want+60 {
			t.Errorf("%s is in %s%% of the impressions, in the corpus in %s%%", f, percent(got), percent(want))
		}
	}
}

// The picture: three panels beside each other. It is drawn with integers, so that it is the same on
// every machine.
const (
	panelWidth, panelHeight, panelGap = 300, 220, 40
	marginLeft, marginTop             = 46, 34
	largest                           = 2500 // bytes at the right end
)

var colors = []string{"#7f7f7f", "#1f6fb4", "#d0632b"}

func draw(mixes []*mix) string {
	b := new(strings.Builder)
	width := marginLeft + 3*panelWidth + 2*panelGap + 20
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" role="img" aria-label="Sizes, formats, countries and systems of simulated requests">
<style>text{font:12px sans-serif;fill:#333}.t{font-weight:bold}.g{stroke:#ddd}@media(prefers-color-scheme:dark){text{fill:#ccc}.g{stroke:#444}}</style>
`, width, marginTop+panelHeight+40, marginTop+panelHeight+40)
	drawSizes(b, marginLeft, mixes[:3])
	corpus, mixed := mixes[0], mixes[1]
	x := marginLeft + panelWidth + panelGap
	fmt.Fprintf(b, `<text class="t" x="%d" y="18">formats and channels, percent</text>`+"\n", x)
	bars(b, x, append(
		pairsOf(formatNames, corpus.formats, mixed.formats), pairsOf(placeNames, corpus.places, mixed.places)...))
	x += panelWidth + panelGap
	fmt.Fprintf(b, `<text class="t" x="%d" y="18">countries and systems in full, percent</text>`+"\n", x)
	bars(b, x, append(top(mixes[2].country, 7), top(mixes[2].os, 7)...))
	b.WriteString("</svg>\n")
	return b.String()
}

// drawSizes draws the share of requests below each size.
func drawSizes(b *strings.Builder, left int, mixes []*mix) {
	fmt.Fprintf(b, `<text class="t" x="%d" y="18">requests up to a size in bytes, percent</text>`+"\n", left)
	for p := 0; p <= 100; p += 25 {
		y := marginTop + panelHeight - panelHeight*p/100
		fmt.Fprintf(b, `<line class="g" x1="%d" x2="%d" y1="%d" y2="%[3]d"/><text x="%d" y="%d" text-anchor="end">%d</text>`+"\n", left, left+panelWidth, y, left-6, y+4, p)
	}
	for size := 0; size <= largest; size += 500 {
		x := left + panelWidth*size/largest
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%d</text>`+"\n", x, marginTop+panelHeight+16, size)
	}
	for i, m := range mixes {
		fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="2" d="M%d %d`, colors[i], left, marginTop+panelHeight)
		for size := 50; size <= largest; size += 50 {
			n, _ := slices.BinarySearch(m.sizes, size+1)
			fmt.Fprintf(b, "L%d %d", left+panelWidth*size/largest, marginTop+panelHeight-panelHeight*n/len(m.sizes))
		}
		fmt.Fprintf(b, `"/><text x="%d" y="%d" style="fill:%s">%s</text>`+"\n", left+panelWidth-60, marginTop+panelHeight-50+16*i, colors[i], m.name)
	}
}

// bar is a name with one or two shares in thousandths.
type bar struct {
	name   string
	shares []int
}

func pairsOf(names []string, a, c map[string]int) (list []bar) {
	for _, n := range names {
		list = append(list, bar{n, []int{permille(a, n), permille(c, n)}})
	}
	return list
}

// top returns the most frequent keys.
func top(counts map[string]int, n int) (list []bar) {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for _, k := range keys[:min(n, len(keys))] {
		list = append(list, bar{k, []int{permille(counts, k)}})
	}
	return list
}

func bars(b *strings.Builder, left int, list []bar) {
	const name = 78
	height := panelHeight / len(list)
	for i, row := range list {
		y := marginTop + i*height
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, left+name-6, y+height/2+4, row.name)
		thick := (height - 3) / len(row.shares)
		for j, share := range row.shares {
			color := colors[(j+2-len(row.shares))%2]
			if len(row.shares) == 1 {
				color = colors[2]
			}
			w := (panelWidth - name - 40) * share / 1000
			fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, left+name, y+j*thick, max(w, 1), thick-1, color)
			if j == len(row.shares)-1 {
				fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`, left+name+w+4, y+height/2+4, percent(share))
			}
		}
		b.WriteByte('\n')
	}
}
