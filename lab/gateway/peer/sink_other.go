//go:build !linux

package main

import "errors"

// checkHeader is the same as on Linux.
const checkHeader = "X-Lab-Check"

func sink(*options) error { return errors.New("the sink needs Linux") }
