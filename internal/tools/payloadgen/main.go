// Command payloadgen writes what follows from the patterns in testdata/payload/patterns.json:
//
//	inspect/payload/patterns_gen.go   the default patterns of the Go scanner
//	cpp/src/patterns.cpp              the default patterns of the C++ scanner
//	cpp/tests/pattern_vectors.inc     the texts of the patterns, for the tests in C++
//
// A faulty pattern stops it, with the pattern's id and what is wrong. The output depends on the
// data alone.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

// source and the names of the outputs are paths from the module's root.
const source = "testdata/payload/patterns.json"

func main() {
	log.SetFlags(0)
	log.SetPrefix("payloadgen: ")
	root := flag.String("root", ".", "the module's root")
	flag.Parse()
	data, err := os.ReadFile(filepath.Join(*root, source))
	if err != nil {
		log.Fatal(err)
	}
	files, err := generate(data)
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*root, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// generate returns the outputs by name.
func generate(data []byte) (map[string][]byte, error) {
	patterns, err := parse(data)
	if err != nil {
		return nil, err
	}
	goFile, err := goTable(patterns)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"inspect/payload/patterns_gen.go": goFile,
		"cpp/src/patterns.cpp":            cppTable(patterns),
		"cpp/tests/pattern_vectors.inc":   cppVectors(patterns),
	}, nil
}
