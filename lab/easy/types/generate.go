// Package types has what easyjson generates.
package types

//go:generate go run ../../copytypes
//go:generate go run github.com/mailru/easyjson/easyjson -output_filename easyjson_gen.go types_gen.go
