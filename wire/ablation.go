package wire

// What the decoder's techniques are worth is measured by leaving one out: scripts/ablation.sh
// builds with the tags rtbwire_noguess and rtbwire_noslab. Nobody else sets them.

const (
	guessing = !noGuess // of the next key
	slabs    = !noSlab  // for objects and scalars; arrays need them
)
