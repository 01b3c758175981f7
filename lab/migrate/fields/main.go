// Command fields compares the OpenRTB types of another Go package with those of rtbwire, and writes
// the differences as Markdown: types and fields of other names, fields of other types, fields that
// only one of the two has. It reads source files, so the other package is not a dependency:
//
//	go run ./migrate/fields DIR...
//
// Each DIR is a folder of Go files: first the package with the messages, then those with the types
// it uses, such as lists of codes.
package main

import (
	"fmt"
	"log"
	"os"
)

// The folders of rtbwire's types, from lab.
const (
	ownTypes = "../openrtb"
	ownLists = "../adcom"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("fields: ")
	if len(os.Args) < 2 {
		log.Fatal("usage: go run ./migrate/fields DIR...")
	}
	theirs, err := load(os.Args[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	ours, err := load(ownTypes, ownLists)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(compare(theirs, ours).markdown())
}
