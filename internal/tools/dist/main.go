// Command dist builds what a release consists of: an archive for each platform, a container image
// and their checksums. "make dist" runs it in the root of the repository.
//
//	main.go      the steps
//	build.go     programs, manual pages, completions
//	licences.go  the licences of all that is linked
//	sbom.go      the list of modules in CycloneDX's format
//	archive.go   archives of the same bytes each time
//	image.go     the container image
//	roots.go     certificate authorities of the image
//
// The output depends on the commit and the version of Go: builds in two folders, or on two
// machines, have the same bytes.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// platforms are those of the archives.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

// platform is an operating system and an architecture, as Go and container images name them.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// release is what the files of one version have in common.
type release struct {
	out     string // the folder that is filled
	scratch string // a folder for what goes into archives
	version string // one word, part of the names of files
	commit  string
	time    time.Time // of the commit; every file has it
	flags   []string  // of go build
}

func main() {
	out := flag.String("out", "dist", "the `FOLDER` to fill; what is in it is removed")
	only := flag.String("only", "", "build for one `PLATFORM`, such as linux_amd64")
	flag.Parse()
	if err := run(*out, *only); err != nil {
		fmt.Fprintf(os.Stderr, "dist: %v\n", err)
		os.Exit(1)
	}
}

func run(out, only string) (err error) {
	chosen := slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool { return only != "" && p.String() != only })
	if len(chosen) == 0 {
		return fmt.Errorf("unknown platform %q (want one of %v)", only, platforms)
	}
	scratch, err := os.MkdirTemp("", "rtbwire-dist-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	r, err := newRelease(out, scratch)
	if err != nil {
		return err
	}
	fmt.Printf("version %s, of %s\n", r.version, r.time.Format(time.RFC3339))
	pages, err := r.pages()
	if err != nil {
		return err
	}
	built := map[platform][]file{} // what is in the archives
	for _, p := range chosen {
		if built[p], err = r.archive(p, pages); err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
	}
	if err := r.image(built); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return r.checksums()
}

// archive writes the archive of a platform, and returns its files.
func (r *release) archive(p platform, pages []file) ([]file, error) {
	programs, err := r.build(p)
	if err != nil {
		return nil, err
	}
	licences, err := r.licences(p)
	if err != nil {
		return nil, err
	}
	boms, err := r.boms(p)
	if err != nil {
		return nil, err
	}
	files := slices.Concat(programs, pages, licences, boms)
	for _, name := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "deploy/systemd/rtbwire.service", "deploy/systemd/rtbwire-stream.service", "deploy/systemd/rtbwire.socket"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{strings.TrimPrefix(name, "deploy/"), modeFile, text})
	}
	name := fmt.Sprintf("rtbwire_%s_%v", r.version, p)
	packed, err := pack(files, name+"/", r.time)
	if err != nil {
		return nil, err
	}
	for _, bom := range boms {
		if err := r.write(fmt.Sprintf("%s_%s", name, bom.name), bom.data); err != nil {
			return nil, err
		}
	}
	return files, r.write(name+".tar.gz", packed)
}

// write writes a file of the release.
func (r *release) write(name string, data []byte) error {
	fmt.Printf("%-60s %6.1f MiB\n", name, mebibytes(len(data)))
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644) //nolint:gosec // for everyone to read
}

func mebibytes[N int | int64](n N) float64 { return float64(n) / (1 << 20) }

// checksums writes the digests of all files, as "sha256sum --check" reads them.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out) // sorted
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return r.write("SHA256SUMS", []byte(sums.String()))
}
