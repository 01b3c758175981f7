//go:build (amd64 || arm64) && !noasm && !purego

package simdtest

// assembly says whether this build has kernels in assembly.
const assembly = true
