package report

// Visible returns s with an escape for everything that could move a terminal's cursor or start a
// new line, and cut if it is too long.
func Visible(s string) string { return string(appendVisible(nil, s)) }
