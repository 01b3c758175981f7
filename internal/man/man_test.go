package man

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// TestPage holds the whole of a page but its first line, which has the version.
func TestPage(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.StringP("output", "o", "", "write `FILE`,\n.or nothing")
	flags.Duration("wait", 5*time.Second, "give up after it")
	flags.Bool("quiet", false, `prints "nothing"`)
	flags.String("old", "", "")
	if err := flags.MarkHidden("old"); err != nil {
		t.Fatal(err)
	}
	page := Page{
		Command: "rtbwire policy test", Summary: "Run test cases", Usage: "rtbwire policy test [flags] FILE",
		Text:     "Judges the requests.\n.yaml files, that is:\n\n    cases:\n      - name: it's ~\\n\n\nOnly `expect` counts.\n",
		Flags:    flags,
		Commands: []Verb{{"rtbwire policy test again", "Once more"}},
		Examples: "  # one\n  rtbwire policy test a\n\n  # two\n  rtbwire policy test b",
		SeeAlso:  []string{"rtbwire policy", "rtbwire"},
	}
	var b strings.Builder
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	if !strings.HasPrefix(first, `.TH "RTBWIRE\-POLICY\-TEST" "1" "" "rtbwire devel`) {
		t.Errorf("first line %q", first)
	}
	const want = `.nh
.ad l
.SH NAME
rtbwire\-policy\-test \- Run test cases
.SH SYNOPSIS
\fBrtbwire policy test\fR [flags] FILE
.SH DESCRIPTION
Judges the requests.
\&.yaml files, that is:
.PP
.RS 2
.nf
  cases:
    \- name: it\(aqs \(ti\en
.fi
.RE
.PP
Only \(gaexpect\(ga counts.
.SH COMMANDS
.TP
\fBrtbwire\-policy\-test\-again\fR(1)
Once more
.SH OPTIONS
.TP
\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR
write FILE, .or nothing
.TP
\fB\-\-wait\fR \fIduration\fR
give up after it (default 5s)
.TP
\fB\-\-quiet\fR
prints \(dqnothing\(dq
.SH EXAMPLES
.RS 2
.nf
# one
rtbwire policy test a
.fi
.RE
.PP
.RS 2
.nf
# two
rtbwire policy test b
.fi
.RE
.SH SEE ALSO
\fBrtbwire\-policy\fR(1),
\fBrtbwire\fR(1)
`
	if rest != want {
		t.Errorf("got\n%s\nwant\n%s", rest, want)
	}
	if got, want := page.FileName(), "rtbwire-policy-test.1"; got != want {
		t.Errorf("the file is called %s, want %s", got, want)
	}
}
