//go:build tools

package main

// The generators of easy/types and ff/types.
import (
	_ "github.com/mailru/easyjson/easyjson"
	_ "github.com/pquerna/ffjson"
)
