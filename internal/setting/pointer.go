package setting

import (
	"errors"
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// Pointer is a JSON Pointer into a request.
func Pointer() Type[string] {
	return Checked(Text("a path such as /device/ifa", PathMax), func(text string) (string, string, error) {
		if text[0] != '/' {
			return "", "/" + strings.ReplaceAll(text, ".", "/"), errors.New("a path begins with /")
		}
		for element := range strings.SplitSeq(text[1:], "/") {
			if _, ok := grammar.UnescapePointer(element); !ok {
				return "", "", errors.New("~ is written as ~0, and / as ~1")
			}
			if element == "" {
				return "", "", errors.New("a name is missing between two /, or at the end")
			}
		}
		return text, "", nil
	})
}
