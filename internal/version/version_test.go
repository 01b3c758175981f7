package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "2026-11-27T06:43:21Z"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, tt := range []struct {
		name, version string
		settings      []debug.BuildSetting
		release       string
		want          string // the word
		commit        string
	}{
		{"a test", "", nil, "", "devel", ""},
		{"without a repository", "(devel)", nil, "", "devel", ""},
		{"a commit before the first tag", "v0.0.0-20261127064321-0123456789ab", vcs("false"), "", "devel-0123456789ab", commit},
		{"a commit after a tag", "v1.2.4-0.20261127064321-0123456789ab", vcs("false"), "", "devel-0123456789ab", commit},
		{"a commit after a candidate", "v1.2.3-rc.1.0.20261127064321-0123456789ab", vcs("false"), "", "devel-0123456789ab", commit},
		{"changed files", "v0.0.0-20261127064321-0123456789ab+dirty", vcs("true"), "", "devel-0123456789ab-dirty", commit},
		{"a tag", "v1.2.3", vcs("false"), "", "v1.2.3", commit},
		{"a candidate", "v1.2.3-rc.1", vcs("false"), "", "v1.2.3-rc.1", commit},
		{"a tag and changed files", "v1.2.3+dirty", vcs("true"), "", "v1.2.3-dirty", commit},
		{"go install of a tag", "v1.2.3", nil, "", "v1.2.3", ""},
		{"go install of a branch", "v0.0.0-20261127064321-0123456789ab", nil, "", "devel-0123456789ab", "0123456789ab"},
		{"a packager's build", "(devel)", nil, "v1.2.3", "v1.2.3", ""},
	} {
		info := read(&debug.BuildInfo{Main: debug.Module{Version: tt.version}, Settings: tt.settings}, tt.release)
		if info.String() != tt.want || info.Commit != tt.commit || info.Dirty != strings.HasSuffix(tt.want, "-dirty") || (info.CommitTime != "") != (tt.settings != nil) {
			t.Errorf("%s: %s, %+v, want %s of commit %q", tt.name, info, info, tt.want, tt.commit)
		}
	}
}

func TestLine(t *testing.T) {
	info := &Info{Version: "v1.2.3", Go: "go1.26.8", Platform: "linux/arm64"}
	if got, want := info.Line("rtbwire"), "rtbwire v1.2.3 (go1.26.8, linux/arm64)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if read := Read(); read.Go == "" || !strings.Contains(read.Platform, "/") {
		t.Errorf("%+v", read)
	}
}
