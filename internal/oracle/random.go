package oracle

import (
	"fmt"
	"strings"
)

// RandomJSON returns a random value, at most depth levels deep, with white space, escapes and long
// strings. random returns a number below n, as rand.IntN does.
func RandomJSON(random func(n int) int, depth int) string {
	blank := func() string { return []string{"", "", "", " ", "\n\t", strings.Repeat(" ", random(70))}[random(6)] }
	list := func(open, end string, element func() string) string {
		var parts []string
		for range random(5) {
			parts = append(parts, blank()+element()+blank())
		}
		if len(parts) == 0 {
			return open + blank() + end
		}
		return open + strings.Join(parts, ",") + end
	}
	kind := random(9)
	if depth <= 0 {
		kind %= 7
	}
	switch kind {
	case 0, 1:
		return []string{`"a"`, `""`, `"\u00e9\n"`, `"\ud83d\ude00"`, `"é"`, `"` + strings.Repeat("b", random(150)) + `"`, `"[{\"}]"`}[random(7)]
	case 2, 3:
		return []string{"0", "-1", "1.5e3", "123456789012345678901234567890", "-0.0E-1"}[random(5)]
	case 4:
		return "true"
	case 5:
		return "false"
	case 6:
		return "null"
	case 7:
		return list("[", "]", func() string { return RandomJSON(random, depth-1) })
	}
	return list("{", "}", func() string {
		return fmt.Sprintf(`"k%d"`, random(1000)) + blank() + ":" + blank() + RandomJSON(random, depth-1)
	})
}
