// Package types has what ffjson generates.
package types

//go:generate go run ../../copytypes
//go:generate go run github.com/pquerna/ffjson -force-regenerate -w ffjson_gen.go types_gen.go
