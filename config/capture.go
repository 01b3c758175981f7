package config

import (
	"errors"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Capture says what is kept of requests. Without a folder nothing is.
type Capture struct {
	Folder string
	Shares
	FileMax, DiskMax int64 // in bytes
	AgeMax           time.Duration
	RateMax          int
	Redact           bool
}

// Shares are which part of requests is captured, from 0 to 1.
type Shares struct{ Forwarded, Refused float64 }

// captureShare is a share of requests, 0% among them.
var captureShare = func() setting.Type[float64] {
	const what = "a share such as 5%, or 0%"
	positive := setting.Share(what)
	return setting.Type[float64]{Shape: positive.Shape, Read: func(r *setting.Reader, n *setting.Node) (float64, bool) {
		if n.Kind == setting.Scalar && n.Text == "0%" {
			return 0, true
		}
		return positive.Read(r, n)
	}}
}()

// size is a number of bytes with a unit.
func size(what string, least int64) setting.Type[int64] {
	const most = int64(1) << 44
	units := map[string]uint{"KiB": 10, "MiB": 20, "GiB": 30}
	return setting.Checked(setting.Form(what, `[1-9][0-9]{0,9}(KiB|MiB|GiB)`, nil), func(text string) (int64, string, error) {
		digits, unit := text[:len(text)-3], text[len(text)-3:]
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n<<units[unit] < least || n > most>>units[unit] {
			return 0, "", errors.New("want at least " + strconv.FormatInt(least>>20, 10) + "MiB, and at most 16384GiB")
		}
		return n << units[unit], "", nil
	})
}

// The least sizes. Package gateway/setup holds them to those of package gateway/capture.
const (
	captureFileLeast = 8 << 20
	captureRateMost  = 1_000_000
)

// shareFields are the keys of what can be different for a partner.
func shareFields[S any](at func(*S) *Shares) []setting.Field[S] {
	return []setting.Field[S]{
		setting.F("share", captureShare, func(s *S) *float64 { return &at(s).Forwarded },
			"The share of the requests that the verdict forwards.").Default("1%"),
		setting.F("refused", captureShare, func(s *S) *float64 { return &at(s).Refused },
			"The share of those that it refuses.").Default("10%"),
	}
}

var captureObject = func() *setting.Object[Capture] {
	o := &setting.Object[Capture]{
		Name: "capture", Doc: "A sample of requests in files, for `rtbwire replay` and `rtbwire policy test`.",
		Fields: []setting.Field[Capture]{
			setting.F("folder", fileName, func(c *Capture) *string { return &c.Folder }, "The folder of the files, relative to this file.").Required().Example("folder: capture"),
		},
		Check: func(r *setting.Reader, n *setting.Node, c *Capture) {
			if m := n.Member("max_disk"); m != nil && c.DiskMax > 0 && c.DiskMax < 2*c.FileMax {
				r.Report(m.Value.Problem("", "max_disk is less than two files (max_file)"))
			}
		},
	}
	o.Fields = append(o.Fields, shareFields(func(c *Capture) *Shares { return &c.Shares })...)
	o.Fields = append(o.Fields,
		setting.F("max_file", size("a size such as 64MiB", captureFileLeast), func(c *Capture) *int64 { return &c.FileMax }, "How long a file may be.").Default("64MiB"),
		setting.F("max_age", setting.Duration("a time such as 1h", time.Second, 24*time.Hour), func(c *Capture) *time.Duration { return &c.AgeMax },
			"For how long a file is written.").Default("1h0m0s"),
		setting.F("max_disk", size("a size such as 1GiB", 2*captureFileLeast), func(c *Capture) *int64 { return &c.DiskMax },
			"How long all files may be together; the oldest are removed.").Default("1GiB"),
		setting.F("max_rate", setting.Int("a number of requests a second", 1, captureRateMost), func(c *Capture) *int { return &c.RateMax },
			"How many requests are kept a second, at most.").Default("500"),
		setting.F("redact", setting.Bool(), func(c *Capture) *bool { return &c.Redact },
			"Take personal data out. With `false`, files have requests as they came, before any scrub.").Default("true"),
	)
	return o
}()

var partnerCaptureObject = &setting.Object[Shares]{
	Name: "partner_capture", Doc: "Which part of the partner's requests is captured.",
	Fields: shareFields(func(s *Shares) *Shares { return s }),
}

// pointerTo is the type of a pointer to a value.
func pointerTo[T any](t setting.Type[T]) setting.Type[*T] {
	return setting.Convert(t, func(v T) *T { return &v })
}
