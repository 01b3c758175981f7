package explain

import (
	"bytes"
	"fmt"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/judging"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/inspect"
)

// removedJSON is a bid that is not to be sent.
type removedJSON struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

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
	e := &explanation{
		file: name, preset: by.Preset, config: f.ConfigFile, text: response, excerpts: !f.noExcerpt, color: color(env, f), response: &v,
		verdict: &inspect.Verdict{Decision: v.Decision, Findings: v.Findings, Dropped: v.Dropped, Counts: v.Counts},
	}
	if v.Observed != nil {
		e.verdict.Observed = &inspect.Observation{Decision: *v.Observed, Refusals: true}
	}
	if v.Shadow != nil {
		e.verdict.Shadow, e.shadow = &inspect.Verdict{Decision: v.Shadow.Decision}, &inspect.Scoring{}
	}
	return e.print(env, f)
}

// bids prints how many bids a response has, and which are not to be sent.
func (e *explanation) bids(b *bytes.Buffer) {
	v := e.response
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
		fmt.Fprintf(b, "          %s: %s\n", removedPath(r), r.Reason)
	}
}

// removedPath is the JSON Pointer to a bid.
func removedPath(r inspect.RemovedBid) string {
	return fmt.Sprintf("/seatbid/%d/bid/%d", r.Seat, r.Bid)
}

// bidsJSON fills in what a response has and a request has not.
func (e *explanation) bidsJSON(out *verdictJSON) {
	if e.response == nil {
		return
	}
	out.Bids = &e.response.Bids
	for _, r := range e.response.Removed {
		out.Removed = append(out.Removed, removedJSON{removedPath(r), r.Reason})
	}
}
