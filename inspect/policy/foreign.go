package policy

import "strings"

// This file finds the operators of other languages in a source that CEL's parser refuses.

// foreign are operators of other languages, in lower case, and what CEL has instead.
var foreign = map[string]string{
	"and": "&&", "or": "||", "not": "!", "=": "==", "===": "==", "!==": "!=", "<>": "!=", "&": "&&", "|": "||",
}

// token is a word or a run of operator characters.
type token struct{ start, end int }

// foreignAt returns the operator of another language that a syntax error at an offset is about: the
// token there, or the one before it. The parser fails at what follows an operator that it takes for
// a name or drops.
func foreignAt(source string, offset int) (found token, instead string) {
	for p := 0; p < len(source) && p <= offset; {
		t := nextToken(source, p)
		p = t.end
		after := t.end + len(source[t.end:]) - len(strings.TrimLeft(source[t.end:], " \t\r\n"))
		if word, ok := foreign[strings.ToLower(source[t.start:t.end])]; ok && t.start <= offset && offset <= after {
			return t, word
		}
	}
	return token{}, ""
}

// nextToken returns the first token from p on, and an empty one at the end.
func nextToken(source string, p int) token {
	for p < len(source) {
		start := p
		switch b := source[p]; {
		case nameByte(b):
			for p < len(source) && nameByte(source[p]) {
				p++
			}
			if p < len(source) && (source[p] == '"' || source[p] == '\'') && strings.Trim(strings.ToLower(source[start:p]), "rb") == "" {
				p = skipLiteral(source, p, strings.ContainsAny(source[start:p], "rR"))
				continue
			}
			return token{start, p}
		case b == '"' || b == '\'':
			p = skipLiteral(source, p, false)
		case strings.HasPrefix(source[p:], "//"):
			end := strings.IndexByte(source[p:], '\n')
			if end < 0 {
				end = len(source) - p
			}
			p += end
		case operatorByte(b):
			for p < len(source) && operatorByte(source[p]) {
				p++
			}
			return token{start, p}
		default:
			p++
		}
	}
	return token{len(source), len(source)}
}

func operatorByte(b byte) bool { return strings.IndexByte("=<>!&|", b) >= 0 }

// skipLiteral returns the end of the string literal whose quotes begin at p.
func skipLiteral(source string, p int, raw bool) int {
	quotes := source[p : p+1]
	if triple := strings.Repeat(quotes, 3); strings.HasPrefix(source[p:], triple) {
		quotes = triple
	}
	for p += len(quotes); p < len(source); p++ {
		if source[p] == '\\' && !raw {
			p++
		} else if strings.HasPrefix(source[p:], quotes) {
			return p + len(quotes)
		}
	}
	return len(source)
}
