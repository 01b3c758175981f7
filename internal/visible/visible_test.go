package visible

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	if got := Text("ä\t\x1b\x80\u202e\u2028"); got != `ä\t\x1b\x80\u202e\u2028` {
		t.Errorf("Text = %s", got)
	}
	if got := Text(strings.Repeat("x", 1000)); got != strings.Repeat("x", Max)+"..." {
		t.Errorf("a long name became %s", got)
	}
}
