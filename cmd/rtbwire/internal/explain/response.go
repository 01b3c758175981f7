package explain

import (
	"bytes"
	"fmt"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/judging"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/explanation"
)

// runResponse judges the response of --response to the request, and prints the verdict on it.
func runResponse(env *cli.Env, f *flags, worker *inspect.Worker, body []byte, by *judging.Judging) error {
	if err := worker.Decode(body); err != nil {
		return fmt.Errorf("the request can't be decoded: %w", err)
	}
	name, response, err := request.Read(env, []string{f.response}, int(f.MaxDocument)+1)
	if err != nil {
		return err
	}
	v := worker.JudgeResponse(response, by.Facts)
	e := &explained{&explanation.Explanation{
		File: name, Preset: by.Preset, Config: f.ConfigFile, Text: response, Excerpts: !f.noExcerpt, Response: &v,
		Verdict: &inspect.Verdict{Decision: v.Decision, Findings: v.Findings, Dropped: v.Dropped, Counts: v.Counts},
	}, color(env, f)}
	if v.Observed != nil {
		e.Verdict.Observed = &inspect.Observation{Decision: *v.Observed, Refusals: true}
	}
	if v.Shadow != nil {
		e.Verdict.Shadow, e.Shadow = &inspect.Verdict{Decision: v.Shadow.Decision}, &inspect.Scoring{}
	}
	return e.print(env, f)
}

// bids prints how many bids a response has, and which are not to be sent.
func (e *explained) bids(b *bytes.Buffer) {
	v := e.Response
	if v == nil {
		return
	}
	fmt.Fprintf(b, "  bids    %d", v.Bids)
	switch n := len(v.Removed); {
	case n == 0 || v.Action == inspect.ActionRefuse:
	case v.Observed != nil:
		fmt.Fprintf(b, ", %d of them would be removed", n)
	default:
		fmt.Fprintf(b, ", %d of them to be removed", n)
	}
	b.WriteByte('\n')
	for _, r := range v.Removed {
		fmt.Fprintf(b, "          %s: %s\n", explanation.RemovedPath(r), r.Reason)
	}
}
