package main

import "github.com/rtbwire/rtbwire/spec"

// version writes the release of the specification as a constant.
func version(d *spec.Data) []file {
	f := newFile("openrtb/version_gen.go", "openrtb", "spec/openrtb.json, version")
	f.printf("// SpecVersion is the release of OpenRTB that the types, codecs and rules follow.\nconst SpecVersion = %q\n", d.OpenRTB.Version)
	return []file{*f}
}
