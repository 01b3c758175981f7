package consent

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// gppHeader writes the header of a GPP string: the reference for Sections. Ranges are pairs of the
// first and the last id.
func gppHeader(kind, version int, ranges ...[2]int) string {
	var bits strings.Builder
	fmt.Fprintf(&bits, "%06b%06b%012b", kind, version, len(ranges))
	last := 0
	for _, r := range ranges {
		if r[0] == r[1] {
			bits.WriteString("0" + fibonacci(r[0]-last))
		} else {
			bits.WriteString("1" + fibonacci(r[0]-last) + fibonacci(r[1]-r[0]))
		}
		last = r[1]
	}
	text := bits.String()
	text += strings.Repeat("0", (24-len(text)%24)%24)
	var data []byte
	for i := 0; i < len(text); i += 8 {
		var b byte
		for _, c := range text[i : i+8] {
			b = b<<1 | byte(c-'0')
		}
		data = append(data, b)
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// fibonacci writes a positive number as the sum of Fibonacci numbers, smallest first, and a 1.
func fibonacci(n int) string {
	numbers := []int{1, 2}
	for numbers[len(numbers)-1] < n {
		numbers = append(numbers, numbers[len(numbers)-1]+numbers[len(numbers)-2])
	}
	code := make([]byte, len(numbers))
	top := 0
	for i := len(numbers) - 1; i >= 0; i-- {
		code[i] = '0'
		if numbers[i] <= n {
			code[i] = '1'
			n -= numbers[i]
			top = max(top, i)
		}
	}
	return string(code[:top+1]) + "1"
}

func TestGPPHeader(t *testing.T) {
	if got := gppHeader(3, 1, [2]int{2, 2}, [2]int{6, 6}); !strings.HasPrefix(got, "DBACNY") {
		t.Fatalf("the header of sections 2 and 6 is %q, published as DBACNYA", got)
	}
	for _, x := range []struct {
		header string
		want   string
	}{
		{gppHeader(3, 1), "[] true"}, {gppHeader(3, 1, [2]int{2, 2}), "[2] true"}, {gppHeader(3, 1, [2]int{2, 2}, [2]int{6, 8}), "[2 6 7 8] true"},
		{gppHeader(3, 1, [2]int{1, 3}, [2]int{1000, 1000}), "[1 2 3 1000] true"}, {gppHeader(2, 1, [2]int{2, 2}), "[] false"}, {gppHeader(3, 2, [2]int{2, 2}), "[] false"},
		{gppHeader(3, 1, [2]int{2000, 2000}), "[] false"}, {gppHeader(3, 1, [2]int{1, 2000}), "[] false"}, {gppHeader(3, 1, [2]int{2, 2}, [2]int{6, 6})[:5], "[2] false"},
		{"", "[] false"}, {"DB", "[] false"}, {"DBA", "[] false"}, {"DB!!!!!", "[] false"},
	} {
		ids := []int{}
		ok := Sections(x.header, func(id int) bool { ids = append(ids, id); return true })
		if got := fmt.Sprint(ids, ok); got != x.want {
			t.Errorf("%q lists %s, want %s", x.header, got, x.want)
		}
	}
	if Sections("DB_______________", func(int) bool { return true }) {
		t.Error("a header that breaks off in a number is read")
	}
	gpp := gppHeader(3, 1, [2]int{2, 2}, [2]int{6, 6}) + "~TCF~1YNN"
	for id, want := range map[int]string{2: "TCF", 6: "1YNN", 7: "", 1: ""} {
		if got, ok := Section(gpp, id); got != want || ok != (want != "") {
			t.Errorf("section %d is %q, %v", id, got, ok)
		}
	}
	if _, ok := Section(gpp[:strings.IndexByte(gpp, '~')], 2); ok {
		t.Error("a section out of nothing")
	}
}

// TestPrivacyStringsRandom checks that no string makes the readers fail or take long.
func TestPrivacyStringsRandom(t *testing.T) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~.!"
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		b := []byte("DB")
		for range r.IntN(60) {
			b = append(b, digits[r.IntN(len(digits))])
		}
		ids := 0
		Sections(string(b), func(int) bool { ids++; return true })
		if ids > 1<<10 {
			t.Fatalf("%q lists %d sections", b, ids)
		}
		GPP(string(b))
		Section(string(b), 2)
		TCF("C" + string(b))
	}
	for text, want := range map[string]bool{
		"C" + strings.Repeat("A", 35): true, "C" + strings.Repeat("A", 34): false, "B" + strings.Repeat("A", 40): false, "C" + strings.Repeat("A", 40) + ".YA": true,
		"C" + strings.Repeat("A", 20) + "!" + strings.Repeat("A", 20): false, "": false, " ": false, strings.Repeat(" ", 40): false, " C" + strings.Repeat("A", 40): false,
	} {
		if got := TCF(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
		if got := Header(text); got != want {
			t.Errorf("the header of %q: %v", text, got)
		}
	}
}
