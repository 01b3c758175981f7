//go:build !rtbwire_noslab

package wire

const noSlab = false
