package filewatch

import "time"

// Named is what operators are told about a file or folder that is followed.
type Named struct {
	// Kind says what is read from it, a list for example, and Name which one.
	Kind, Name string
	// Status is about the file. Of a folder, Modified is when one of its files was loaded last.
	Status
	// Files is how many files a folder has, and Refused how many of them can't be used as they are;
	// 0 for a file. Problem is what is wrong with the first of them.
	Files, Refused int
	Problem        error
	// MaxAge is how old the content may be; 0 means that any age is right.
	MaxAge time.Duration
}

// The kinds of [Named] files.
const (
	KindConfiguration = "configuration"
	KindList          = "list"
	KindRates         = "rates"
	KindGeoIP         = "geoip"
	KindSupply        = "supply"
	KindCertificates  = "certificates"
	KindTokens        = "tokens"
)

// Named returns the status with a name.
func (s Status) Named(kind, name string) Named { return Named{Kind: kind, Name: name, Status: s} }

// Named returns the status with a name.
func (s *FolderStatus) Named(kind, name string) Named {
	n := Named{Kind: kind, Name: name, Files: s.Files, Refused: s.Refused, Status: Status{
		Path: s.Path, Loads: s.Loads, Failures: s.Failures, FailedAt: s.FailedAt, Err: s.Err, Result: s.Result, LoadedAt: s.LoadedAt, Modified: s.LoadedAt,
	}}
	if len(s.Problems) > 0 {
		n.Problem = s.Problems[0]
	}
	return n
}

// Old reports whether the content is older than it may be.
func (n *Named) Old(now time.Time) bool { return n.MaxAge > 0 && now.Sub(n.Modified) > n.MaxAge }

// expiresSoon is how long before their end certificates need attention.
const expiresSoon = 30 * 24 * time.Hour

// Expiring reports whether a certificate has ended, or will soon.
func (n *Named) Expiring(now time.Time) bool {
	return !n.Expires.IsZero() && n.Expires.Sub(now) < expiresSoon
}

// News finds out which files have changed since it was asked before. The zero News knows none.
type News struct{ told map[[2]string]told }

// told is what was said about a file.
type told struct {
	loads        uint64
	loaded       time.Time
	err, problem string
	refused      int
	old          bool
}

// Of returns the files that were loaded, can't be used, can be used again, or became too old since
// the last time. All files are news at the first time.
func (n *News) Of(files []Named, now time.Time) (news []Named) {
	next := make(map[[2]string]told, len(files))
	for i := range files {
		f := &files[i]
		is := told{f.Loads, f.LoadedAt, text(f.Err), text(f.Problem), f.Refused, f.Old(now)}
		key := [2]string{f.Kind, f.Name}
		next[key] = is
		if was, known := n.told[key]; !known || was != is {
			news = append(news, *f)
		}
	}
	n.told = next
	return news
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
