package setting

import (
	"regexp"
	"strings"
)

// What may be secret in URLs: a user with a password, and a query. The second group is hidden.
var (
	userOfURL  = regexp.MustCompile(`(://)([^\s"']*)(@)`)
	queryOfURL = regexp.MustCompile(`(://[^\s"'?]*\?)([^\s"'}\]]+)()`)
)

// MaskURLs puts asterisks in place of the users and queries of URLs in a text. Its length stays.
func MaskURLs(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	for _, secret := range []*regexp.Regexp{userOfURL, queryOfURL} {
		text = secret.ReplaceAllStringFunc(text, func(found string) string {
			parts := secret.FindStringSubmatch(found)
			return parts[1] + strings.Repeat("*", len(parts[2])) + parts[3]
		})
	}
	return text
}
