//go:build (amd64 || arm64) && !noasm && !purego

package utf8check

const assembly = true
