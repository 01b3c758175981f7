package adcom_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/spec"
)

// code is what every list type has.
type code interface {
	String() string
	Valid() bool
}

func of[T interface {
	~int
	code
}](n int) code {
	return T(n)
}

// types makes a code of each list type. TestTypes compares it with the data.
var types = map[string]func(n int) code{
	"APIFramework":              of[adcom.APIFramework],
	"AgentType":                 of[adcom.AgentType],
	"AuctionType":               of[adcom.AuctionType],
	"AutoRefreshTrigger":        of[adcom.AutoRefreshTrigger],
	"BannerAdType":              of[adcom.BannerAdType],
	"BroadcastScheduling":       of[adcom.BroadcastScheduling],
	"CategoryTaxonomy":          of[adcom.CategoryTaxonomy],
	"ClickBrowserType":          of[adcom.ClickBrowserType],
	"CompanionRendering":        of[adcom.CompanionRendering],
	"CompanionType":             of[adcom.CompanionType],
	"ConnectionType":            of[adcom.ConnectionType],
	"ContentContext":            of[adcom.ContentContext],
	"CreativeAttribute":         of[adcom.CreativeAttribute],
	"CreativeSubtypeAV":         of[adcom.CreativeSubtypeAV],
	"DOOHMultiplierSource":      of[adcom.DOOHMultiplierSource],
	"DOOHVenueTaxonomy":         of[adcom.DOOHVenueTaxonomy],
	"DealAuctionType":           of[adcom.DealAuctionType],
	"DeliveryMethod":            of[adcom.DeliveryMethod],
	"DeviceType":                of[adcom.DeviceType],
	"ExpandableDirection":       of[adcom.ExpandableDirection],
	"FeedType":                  of[adcom.FeedType],
	"FinalSaleDecision":         of[adcom.FinalSaleDecision],
	"GPPSection":                of[adcom.GPPSection],
	"IDMatchMethod":             of[adcom.IDMatchMethod],
	"IPLocationService":         of[adcom.IPLocationService],
	"LinearityMode":             of[adcom.LinearityMode],
	"LocationType":              of[adcom.LocationType],
	"LossReason":                of[adcom.LossReason],
	"MarkupType":                of[adcom.MarkupType],
	"MediaRating":               of[adcom.MediaRating],
	"NativeContextSubtype":      of[adcom.NativeContextSubtype],
	"NativeContextType":         of[adcom.NativeContextType],
	"NativeDataAssetType":       of[adcom.NativeDataAssetType],
	"NativeEventTrackingMethod": of[adcom.NativeEventTrackingMethod],
	"NativeEventType":           of[adcom.NativeEventType],
	"NativeImageAssetType":      of[adcom.NativeImageAssetType],
	"NativePlacementType":       of[adcom.NativePlacementType],
	"NoBidReason":               of[adcom.NoBidReason],
	"OperatingSystem":           of[adcom.OperatingSystem],
	"PlacementPosition":         of[adcom.PlacementPosition],
	"PlaybackCessationMode":     of[adcom.PlaybackCessationMode],
	"PlaybackMethod":            of[adcom.PlaybackMethod],
	"PodDedupe":                 of[adcom.PodDedupe],
	"PodSequence":               of[adcom.PodSequence],
	"PrivateAuction":            of[adcom.PrivateAuction],
	"ProductionQuality":         of[adcom.ProductionQuality],
	"SSAIState":                 of[adcom.SSAIState],
	"SeatBidGrouping":           of[adcom.SeatBidGrouping],
	"SlotPosition":              of[adcom.SlotPosition],
	"SourceRelationship":        of[adcom.SourceRelationship],
	"StartDelayMode":            of[adcom.StartDelayMode],
	"UserAgentSource":           of[adcom.UserAgentSource],
	"VideoPlacementSubtype":     of[adcom.VideoPlacementSubtype],
	"VideoPlcmtSubtype":         of[adcom.VideoPlcmtSubtype],
	"VolumeNormalization":       of[adcom.VolumeNormalization],
}

// source is what the package declares: constants with type and value, and types.
type source struct {
	constants map[string]constant
	types     map[string]string // name to doc comment
}

type constant struct {
	typ   string
	value int
	doc   string
}

func readSource(t *testing.T) source {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	s := source{map[string]constant{}, map[string]string{}}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, sp := range gen.Specs {
				switch sp := sp.(type) {
				case *ast.TypeSpec:
					s.types[sp.Name.Name] = gen.Doc.Text()
				case *ast.ValueSpec:
					if gen.Tok == token.CONST {
						s.constants[sp.Names[0].Name] = constant{sp.Type.(*ast.Ident).Name, value(t, sp.Values[0]), sp.Doc.Text()}
					}
				}
			}
		}
	}
	return s
}

func value(t *testing.T, e ast.Expr) int {
	t.Helper()
	sign := 1
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.SUB {
		sign, e = -1, u.X
	}
	n, err := strconv.Atoi(e.(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	return sign * n
}

func TestTypes(t *testing.T) {
	src := readSource(t)
	want := map[string]bool{}
	for _, l := range spec.Lists() {
		want[l.Go] = true
		doc := src.types[l.Go]
		_, title, _ := strings.Cut(l.Name, ":")
		if flat := strings.Join(strings.Fields(doc), " "); !strings.HasPrefix(flat, l.Go+" ") || !strings.Contains(flat, "List "+title+" of "+l.Source+".") {
			t.Errorf("%s: the doc comment does not name the list %s: %q", l.Go, l.Name, doc)
		}
		if got := strings.Contains(doc, "Deprecated:"); got != l.Deprecated {
			t.Errorf("%s: deprecated %v, in the data %v", l.Go, got, l.Deprecated)
		}
		if types[l.Go] == nil {
			t.Errorf("the table of this test lacks %s", l.Go)
		}
	}
	if len(want) != 55 {
		t.Errorf("%d lists, expected 55", len(want))
	}
	for name := range src.types {
		if !want[name] {
			t.Errorf("type %s is not in the data", name)
		}
	}
	if len(types) != len(want) {
		t.Errorf("the table of this test has %d types, the data %d", len(types), len(want))
	}
}

func TestConstants(t *testing.T) {
	src := readSource(t)
	for _, l := range spec.Lists() {
		for _, v := range l.Values {
			c, ok := src.constants[v.Go]
			delete(src.constants, v.Go)
			switch {
			case !ok:
				t.Errorf("%s: there is no constant %s", l.Name, v.Go)
			case c.typ != l.Go || c.value != v.Value:
				t.Errorf("%s is %s(%d), expected %s(%d)", v.Go, c.typ, c.value, l.Go, v.Value)
			case c.doc == "":
				t.Errorf("%s has no doc comment", v.Go)
			case strings.Contains(c.doc, "Deprecated:") != v.Deprecated:
				t.Errorf("%s: deprecated in the data is %v, the comment is %q", v.Go, v.Deprecated, c.doc)
			case v.Since != "" && !strings.Contains(c.doc, "Since "+v.Since+"."):
				t.Errorf("%s: the comment does not say since %s", v.Go, v.Since)
			}
		}
	}
	for name := range src.constants {
		t.Errorf("constant %s is not in the data", name)
	}
}

// TestStringAndValid goes through the codes -10 to 1000 of every list, and far beyond.
func TestStringAndValid(t *testing.T) {
	codes := []int{-1 << 31, 1<<31 - 2, 1<<31 - 1}
	for n := -10; n <= 1000; n++ {
		codes = append(codes, n)
	}
	for _, l := range spec.Lists() {
		for _, n := range codes {
			c := types[l.Go](n)
			label, valid := fmt.Sprintf("%s(%d)", l.Go, n), false
			if v := l.Value(n); v != nil {
				label, valid = v.Label, true
			}
			for _, r := range l.Ranges {
				valid = valid || *r.Min <= n && (r.Max == nil || n <= *r.Max)
			}
			if c.String() != label {
				t.Errorf("%s(%d).String() = %q, expected %q", l.Go, n, c, label)
			}
			if c.Valid() != valid {
				t.Errorf("%s(%d).Valid() = %v, expected %v", l.Go, n, c.Valid(), valid)
			}
			if l.Open && n >= 500 && !c.Valid() {
				t.Errorf("%s(%d) is a private code, and not valid", l.Go, n)
			}
		}
	}
}

// TestLabelsDiffer: two codes of a list with the same words would read as one in a log.
func TestLabelsDiffer(t *testing.T) {
	for _, l := range spec.Lists() {
		seen := map[string]int{}
		for _, v := range l.Values {
			if other, dup := seen[v.Label]; dup || v.Label == "" {
				t.Errorf("%s: %d and %d are both %q", l.Name, other, v.Value, v.Label)
			}
			seen[v.Label] = v.Value
		}
	}
}
