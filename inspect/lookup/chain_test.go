package lookup

import "testing"

func TestChainSigns(t *testing.T) {
	for signs, want := range map[ChainSigns]string{
		0: "", Malformed: "malformed", Malformed | TooLong: "malformed,too-long", 1 << 15: "ChainSigns(32768)", NoSellers | 1<<14: "no-sellers,ChainSigns(16384)",
	} {
		if got := signs.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
