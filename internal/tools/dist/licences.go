package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// linked is a package of a program, as "go list" describes it.
type linked struct {
	ImportPath, Dir string
	Standard        bool
	Module          *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version string }
	}
}

// licences returns the licences and notices of everything that the programs of a platform link.
func (r *release) licences(p platform) ([]file, error) {
	args := []string{"list", "-deps", "-json=ImportPath,Dir,Standard,Module"}
	for _, name := range programs {
		args = append(args, "./cmd/"+name)
	}
	out, err := p.run("go", args...)
	if err != nil {
		return nil, err
	}
	root, err := p.run("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var packages []linked
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l linked
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, l)
	}
	return collect(packages, strings.TrimSpace(string(root)))
}

var (
	// licenceName is what a licence is called.
	licenceName = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([._-].*)?$`)
	// noticeName is what other texts are called that go with a program.
	noticeName = regexp.MustCompile(`(?i)^(notice|patents|copyright)([._-].*)?$`)
)

// collect returns the licences and notices of packages. A package has those of its folder and of
// the folders above, up to its module's: code that came from elsewhere has its own licence beside
// it. A module without a licence must not be linked.
func collect(packages []linked, goRoot string) (files []file, err error) {
	licensed := map[string]bool{} // folders below licenses/ that have a licence
	wanted := map[string]bool{}
	seen := map[string]bool{}
	add := func(dir, to string) error {
		if seen[dir] {
			return nil
		}
		seen[dir] = true
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			licence := licenceName.MatchString(e.Name())
			if !e.Type().IsRegular() || path.Ext(e.Name()) == ".go" || !licence && !noticeName.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			files = append(files, file{path.Join("licenses", to, e.Name()), modeFile, text})
			licensed[to] = licensed[to] || licence
		}
		return nil
	}
	for _, l := range packages {
		switch {
		case l.Standard: // with what it has from golang.org/x, whose licence is the same
			wanted["go"] = true
			if err := add(goRoot, "go"); err != nil {
				return nil, err
			}
			continue
		case l.Module == nil:
			return nil, fmt.Errorf("package %s belongs to no module", l.ImportPath)
		case l.Module.Main: // the archive has the licence at its top
			continue
		}
		module, version := l.Module.Path, l.Module.Version
		if l.Module.Replace != nil {
			module, version = l.Module.Replace.Path, l.Module.Replace.Version
		}
		top := module + "@" + version
		wanted[top] = true
		below, err := filepath.Rel(l.Module.Dir, l.Dir)
		if err != nil || !filepath.IsLocal(below) {
			return nil, fmt.Errorf("package %s is in %s, outside of its module's folder %s", l.ImportPath, l.Dir, l.Module.Dir)
		}
		for ; ; below = filepath.Dir(below) {
			if err := add(filepath.Join(l.Module.Dir, below), path.Join(top, filepath.ToSlash(below))); err != nil {
				return nil, err
			}
			if below == "." {
				break
			}
		}
	}
	for folder := range wanted {
		if !licensed[folder] {
			err = errors.Join(err, fmt.Errorf("%s has no file with a licence", folder))
		}
	}
	return files, err
}
