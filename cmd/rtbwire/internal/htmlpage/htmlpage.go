// Package htmlpage is the look of reports as one self-contained page: cards, tables and plots.
package htmlpage

import (
	_ "embed"
	"html/template"
)

// Style goes into the element style of a page.
//
//go:embed page.css
var Style template.CSS
