//go:build !race

package wire

// raceEnabled says that memory and time are not what they are in other builds.
const raceEnabled = false
