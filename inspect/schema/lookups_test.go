package schema

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// TestLookups compares hashed lists with lists that are searched, on texts that often differ only
// in the case of letters, a tier or a level.
func TestLookups(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	parts := []string{"a", "A", "b", "IAB1", "-", "-", ".", ".", "x", "ü", "\xff", "K"}
	word := func() string {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		return b.String()
	}
	found := 0
	for range 60 {
		var list []string
		var numbers []int
		var imps []openrtb.Imp
		for range linearMax + 1 + random.IntN(60) {
			list = append(list, word())
			numbers = append(numbers, random.IntN(200))
			imps = append(imps, openrtb.Imp{ID: list[len(list)-1]})
		}
		if random.IntN(4) == 0 {
			list[0] = strings.Repeat("a.", domainMax) + "a"
		}
		var plain, hashed lookups
		hashed.compared = comparedMax
		for range 100 {
			v, n := word(), random.IntN(220)
			for name, f := range map[string]func(l *lookups) any{
				"contains":            func(l *lookups) any { return contains(l, list, v) },
				"contains of numbers": func(l *lookups) any { return contains(l, numbers, n) },
				"containsFold":        func(l *lookups) any { return containsFold(l, list, v) },
				"covers":              func(l *lookups) any { return covers(l, list, v) },
				"underAny":            func(l *lookups) any { return underAny(l, list, v) },
				"first":               func(l *lookups) any { return first(l, imps, v, impID) },
			} {
				plain.compared = 0
				a, b := f(&plain), f(&hashed)
				if a != b {
					t.Fatalf("%s of %q and %d: %v, hashed %v, in %q", name, v, n, a, b, list)
				}
				if a == true {
					found++
				}
			}
		}
		if plain.hashed != nil || hashed.hashed == nil {
			t.Fatal("the wrong way was taken")
		}
	}
	if found < 200 {
		t.Errorf("only %d values were found", found)
	}
}

func TestUnderAny(t *testing.T) {
	var l lookups
	list := []string{"casino.example", "", "x"}
	for domain, want := range map[string]bool{
		"casino.example": true, "www.casino.example": true, "a.b.Casino.EXAMPLE": true, "x": true, "y.x": true,
		"mycasino.example": false, "casino.example.com": false, "example": false, "": false, "casino.example.": false, "xx": false,
		strings.Repeat("a.", 130) + "casino.example": false, // longer than a domain can be
	} {
		if got := underAny(&l, list, domain); got != want {
			t.Errorf("%q: %v", domain, got)
		}
	}
}

// TestLongLists checks that rules about lists that are too long to be searched for each bid are not
// evaluated.
func TestLongLists(t *testing.T) {
	formats := func(n int) string { return strings.Repeat(`{"w":1,"h":1},`, n-1) + `{"w":2,"h":2}` }
	floors := func(n int) string { return strings.Repeat(`{"mindur":90,"bidfloor":1},`, n-1) + `{"bidfloor":5}` }
	for n, want := range map[int]string{listMax: "[Bid.price.floor Bid.size.allowed]", listMax + 1: "[]"} {
		request := fmt.Sprintf(`{"id":"1","imp":[{"id":"1","banner":{"format":[%s]}},{"id":"2","video":{"durfloors":[%s]}}]}`, formats(n), floors(n))
		response := `{"id":"1","seatbid":[{"bid":[{"impid":"1","price":1,"w":3,"h":3},{"impid":"1","price":1,"w":2,"h":2},{"impid":"2","dur":5,"price":1}]}]}`
		req, err := decodeLarge(request)
		if err != nil {
			t.Fatal(err)
		}
		r := strict(t).PairValues(req, mustResponse(t, []byte(response)), nil, nil)
		if got := fmt.Sprint(ids(r)); got != want {
			t.Errorf("lists of %d: %s, want %s", n, got, want)
		}
	}
}
