//go:build (!amd64 && !arm64) || noasm || purego

package jsonindex

const assembly = false
