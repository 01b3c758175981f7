package main

import (
	"strings"
	"testing"
	"time"
)

func TestReleaseTime(t *testing.T) {
	commit := "2026-11-27T06:43:21Z"
	for _, tt := range []struct{ epoch, commit, want, err string }{
		{"", commit, commit, ""},
		{"0", commit, "1970-01-01T00:00:00Z", ""},
		{"1764226301", "", "2025-11-27T06:51:41Z", ""},
		{"", "", "", "there is no commit"},
		{"now", commit, "", "want seconds since 1970"},
	} {
		got, err := releaseTime(tt.epoch, tt.commit)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%+v: %v", tt, err)
			}
		} else if err != nil || got.Format(time.RFC3339) != tt.want || got.Location() != time.UTC {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
}
