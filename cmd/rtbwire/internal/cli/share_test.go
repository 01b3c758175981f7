package cli

import "testing"

func TestShare(t *testing.T) {
	for text, want := range map[string]string{"60%": "60%", "0.1%": "0.1%", "0.25": "25%", "0": "0%", "1": "100%", "100%": "100%", "1e-3%": "0.001%"} {
		var s Share
		if err := s.Set(text); err != nil || s.String() != want {
			t.Errorf("Set(%q) makes %s, %v, expected %s", text, s.String(), err, want)
		}
	}
	for _, text := range []string{"", "%", "x", "-1%", "101%", "1.1", "NaN", "60 %"} {
		var s Share
		if err := s.Set(text); err == nil {
			t.Errorf("Set(%q) makes %s, expected an error", text, s.String())
		}
	}
	if new(Share).Type() != "SHARE" {
		t.Error("the word for the help text")
	}
}
