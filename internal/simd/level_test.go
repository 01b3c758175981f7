package simd

import "testing"

func TestLevelString(t *testing.T) {
	for l, want := range map[Level]string{
		Reference: "Reference", SWAR: "SWAR", NEON: "NEON", AVX2: "AVX2", AVX512: "AVX512", AVX512 + 1: "unknown", 255: "unknown",
	} {
		if got := l.String(); got != want {
			t.Errorf("Level(%d).String() = %q, want %q", uint8(l), got, want)
		}
	}
}
