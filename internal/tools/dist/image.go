package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// layersMiBMax is how large the layers of an image may be together, unpacked.
const layersMiBMax = 48

// user is nobody's: a number, because Kubernetes can't tell from a name that it is not root.
const user = "65532:65532"

// The files that tell programs who their user is.
const (
	passwd = "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n"
	group  = "root:x:0:\nnonroot:x:65532:\n"
)

// config is what the image runs, the same as deploy/Dockerfile: a test compares them.
func (r *release) config() v1.Config {
	return v1.Config{
		User:         user,
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "8081/tcp": {}},
		Entrypoint:   []string{"/rtbwire"},
		Cmd:          []string{"serve", "--config", "/etc/rtbwire/rtbwire.yaml"},
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", "/rtbwire", "serve", "--health", "127.0.0.1:8080"},
			Interval: 5 * time.Second, Timeout: 4 * time.Second, StartPeriod: 5 * time.Second,
		},
		Labels: r.annotations(),
	}
}

// annotations describe the image to registries.
func (r *release) annotations() map[string]string {
	const name = "org.opencontainers.image."
	return map[string]string{
		name + "title":       "rtbwire",
		name + "description": "The tier between exchanges and an auction: decides on OpenRTB bid requests",
		name + "licenses":    "Apache-2.0",
		name + "source":      "https://github.com/rtbwire/rtbwire",
		name + "version":     r.version,
		name + "revision":    r.commit,
		name + "created":     r.time.Format(time.RFC3339),
	}
}

// image writes the image of all Linux platforms that were built, as an archive of an OCI layout.
func (r *release) image(built map[platform][]file) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		files := built[p]
		if p.os != "linux" || files == nil {
			continue
		}
		image, err := r.imageOf(p, files)
		if err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}},
		})
	}
	index, ok := mutate.Annotations(index, r.annotations()).(v1.ImageIndex)
	if manifest, err := index.IndexManifest(); !ok || err != nil || len(manifest.Manifests) == 0 {
		return err // nothing for Linux
	}
	folder := filepath.Join(r.scratch, "image")
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	// The tag that programs find the image by.
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})); err != nil {
		return err
	}
	files, err := read(folder)
	if err != nil {
		return err
	}
	if err := check(folder, files); err != nil {
		return err
	}
	var archive bytes.Buffer // of layers that are compressed already
	if err := writeTar(&archive, files, "", r.time); err != nil {
		return err
	}
	return r.write(fmt.Sprintf("rtbwire_%s_image.tar", r.version), archive.Bytes())
}

// imageOf makes the image of a platform: a layer that stays the same from version to version, and
// one with the program and the licences of what it links.
func (r *release) imageOf(p platform, files []file) (v1.Image, error) {
	authorities, err := roots()
	if err != nil {
		return nil, err
	}
	base := []file{{rootsFile, modeFile, authorities}, {"etc/passwd", modeFile, []byte(passwd)}, {"etc/group", modeFile, []byte(group)}}
	var program []file
	for _, f := range files {
		switch {
		case f.name == "rtbwire", strings.HasPrefix(f.name, "licenses/"):
			program = append(program, f)
		case f.name == "LICENSE", f.name == "NOTICE":
			program = append(program, file{"licenses/" + f.name, f.mode, f.data})
		}
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	total := int64(0)
	for _, l := range []struct {
		about string
		files []file
		time  time.Time
	}{
		// Its time is fixed too, or it would differ from that of the last version.
		{"certificate authorities, user", base, time.Unix(0, 0).UTC()},
		{"program, licences", program, r.time},
	} {
		layer, unpacked, err := newLayer(l.files, l.time)
		if err != nil {
			return nil, err
		}
		packed, err := layer.Size()
		if err != nil {
			return nil, err
		}
		fmt.Printf("image %v: layer %-32s %6.1f MiB, compressed %5.1f MiB\n", p, l.about, mebibytes(unpacked), mebibytes(packed))
		total += unpacked
		if image, err = mutate.Append(image, mutate.Addendum{
			Layer: layer, History: v1.History{Created: v1.Time{Time: l.time}, CreatedBy: "make dist", Comment: l.about},
		}); err != nil {
			return nil, err
		}
	}
	if total > layersMiBMax<<20 {
		return nil, fmt.Errorf("the layers have %.1f MiB together (want at most %d); docs/decisions/0024-size.md says what is large", mebibytes(total), layersMiBMax)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created, config.Config = p.os, p.arch, v1.Time{Time: r.time}, r.config()
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(image, r.annotations()).(v1.Image), nil //nolint:errcheck // an image stays one
}

// newLayer makes a layer, and returns its size unpacked.
func newLayer(files []file, changed time.Time) (layer v1.Layer, unpacked int64, err error) {
	var b bytes.Buffer
	if err := writeTar(&b, files, "", changed); err != nil {
		return nil, 0, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	layer, err = tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression))
	return layer, int64(b.Len()), err
}

// check reads an image back. The library compares sizes, types and what manifests say of each
// other; that a file has the digest it is named by, it takes for granted.
func check(folder string, files []file) error {
	for _, f := range files {
		digest, isBlob := strings.CutPrefix(f.name, "blobs/sha256/")
		if sum := fmt.Sprintf("%x", sha256.Sum256(f.data)); isBlob && sum != digest {
			return fmt.Errorf("%s has the digest %s", f.name, sum)
		}
	}
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return err
	}
	return validate.Index(index)
}

// read returns the files of a folder.
func read(folder string) (files []file, err error) {
	root := os.DirFS(folder)
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		files = append(files, file{name, modeFile, data})
		return err
	})
	return files, err
}
