//go:build !goexperiment.jsonv2

package engine

// JSONv2 says whether this build has encoding/json/v2.
const JSONv2 = false
