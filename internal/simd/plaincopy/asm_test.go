//go:build (amd64 || arm64) && !noasm && !purego

package plaincopy

const assembly = true
