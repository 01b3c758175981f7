//go:build !goexperiment.jsonv2

package main

import "errors"

// ownVersions has what this build measures for section 17: nothing.
func ownVersions() ([]way, error) { return nil, errors.New("not built with GOEXPERIMENT=jsonv2") }
