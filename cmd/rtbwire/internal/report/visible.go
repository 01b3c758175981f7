package report

import "github.com/rtbwire/rtbwire/internal/visible"

// Visible is [visible.Text].
func Visible(s string) string { return visible.Text(s) }
