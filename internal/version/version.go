// Package version says which version of the project a program was built from.
package version

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Devel is the version of a program that was built from a commit without a tag.
const Devel = "devel"

// release is the version of a build that has no repository to read it from. Packagers who build
// from an archive of the source set it:
//
//	go build -ldflags '-X github.com/rtbwire/rtbwire/internal/version.release=v1.2.3' ./cmd/rtbwire
var release string

// Info describes the build of a program.
type Info struct {
	Version    string `json:"version"`               // the tag, such as v1.2.3, or "devel"
	Commit     string `json:"commit,omitempty"`      // all digits of it, or the first 12
	CommitTime string `json:"commit_time,omitempty"` // RFC 3339
	Dirty      bool   `json:"dirty"`                 // whether the files differed from those of the commit
	Go         string `json:"go"`
	Platform   string `json:"platform"` // linux/amd64
}

// Read returns what is known of the running program.
func Read() *Info {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = new(debug.BuildInfo)
	}
	return read(build, release)
}

// pseudoVersion is the end of a version that the go command made from a commit.
var pseudoVersion = regexp.MustCompile(`[-.][0-9]{14}-([0-9a-f]{12})$`)

// read reads build; release, if any, replaces its version.
func read(build *debug.BuildInfo, release string) *Info {
	info := &Info{Version: Devel, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	version, dirty := strings.CutSuffix(build.Main.Version, "+dirty")
	info.Dirty = dirty
	if made := pseudoVersion.FindStringSubmatch(version); made != nil {
		info.Commit = made[1]
	} else if version != "" && version != "(devel)" {
		info.Version = version
	}
	if release != "" {
		info.Version = release
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = s.Value
		case "vcs.time":
			info.CommitTime = s.Value
		case "vcs.modified":
			info.Dirty = info.Dirty || s.Value == "true"
		}
	}
	return info
}

// commitDigits is how much of a commit String shows: as much as the go command does.
const commitDigits = 12

// String returns the version as one word: v1.2.3, devel-0123456789ab, devel-0123456789ab-dirty.
func (i *Info) String() string {
	word := i.Version
	if word == Devel && i.Commit != "" {
		word += "-" + i.Commit[:min(len(i.Commit), commitDigits)]
	}
	if i.Dirty {
		word += "-dirty"
	}
	return word
}

// Line returns the version of a program as its flag --version prints it.
func (i *Info) Line(program string) string {
	return fmt.Sprintf("%s %s (%s, %s)", program, i, i.Go, i.Platform)
}
