//go:build rtbwire_noguess

package wire

const noGuess = true
