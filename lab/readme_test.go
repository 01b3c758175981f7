package main

import (
	"os"
	"regexp"
	"testing"
)

// TestREADME holds the README and the run that it shows together: no number in it is typed.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	folder := regexp.MustCompile(`go run \. readme ([^ "]+)"`).FindSubmatch(text)
	if folder == nil {
		t.Fatal("README.md does not say which run it shows")
	}
	readme, picture, err := readmeOf(string(text), string(folder[1]))
	if err != nil {
		t.Fatal(err)
	}
	if readme != string(text) {
		t.Errorf("README.md is not what the results say; run: cd lab && go run . readme %s", folder[1])
	}
	if shown, err := os.ReadFile(pictureFile); err != nil || string(shown) != picture {
		t.Errorf("docs/decode.svg is not what the results say (%v); run: cd lab && go run . readme %s", err, folder[1])
	}
}
