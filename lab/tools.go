//go:build tools

package main

// The generator of easy/types.
import _ "github.com/mailru/easyjson/easyjson"
