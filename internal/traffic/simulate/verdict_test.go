package simulate

import (
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// newWorker returns a worker of a preset's engine.
func newWorker(t *testing.T, p schema.Preset) *inspect.Worker {
	t.Helper()
	e, err := inspect.New(inspect.Config{Preset: p})
	if err != nil {
		t.Fatal(err)
	}
	return e.NewWorker()
}

// absences are signals of fraud that clean requests have too: some say nothing about the device,
// and impressions can be alike by chance. They are weak on purpose.
var absences = map[string]bool{"fraud.identifier.missing": true, "fraud.identifier.imps": true}

// objections returns the findings that a clean request must not have.
func objections(v inspect.Verdict) (list []inspect.Finding) {
	for _, f := range v.Findings {
		if !absences[f.ID] {
			list = append(list, f)
		}
	}
	return list
}

// TestAccepted checks that what has no defect and no payload is accepted: 100,000 requests, of
// several seeds and all shapes. In clean ones nothing is found but absences.
func TestAccepted(t *testing.T) {
	total := testkit.Scale(t, 4_000, 100_000, 2_000_000)
	seeds := []uint64{1, 26, 1 << 40, ^uint64(0)}
	admission, exchange := newWorker(t, schema.Admission), newWorker(t, schema.Exchange)
	for _, s := range Shapes() {
		for _, seed := range seeds {
			g := mustNew(t, Config{Seed: seed, Shape: s, Fraud: Percent(30)})
			each(g, uint64(total/len(seeds)/int(shapes)), func(text []byte, l Label) {
				v := admission.Inspect(text, inspect.Facts{})
				if v.Action != inspect.ActionForward || l.Class == Clean && len(objections(v)) > 0 {
					t.Errorf("%v, seed %d: %s: %v %v\n%s", s, seed, l.AppendJSON(nil), v.Reason, v.Findings, text)
				}
				if l.Class != Clean {
					return
				}
				if l.N%4 > 0 {
					return
				}
				if v := exchange.Inspect(text, inspect.Facts{}); len(objections(v)) > 0 {
					t.Errorf("%v, seed %d, preset exchange: %v\n%s", s, seed, v.Findings, text)
				}
			})
			if t.Failed() {
				return
			}
		}
	}
}

// forwarded are defects that auction servers do not look at (codes of lists, currencies, ranges),
// and that the preset admission therefore accepts. All others must be refused.
var forwarded = map[string]bool{
	"request.at-unknown": true, "request.cur-unknown": true, "device.type-unknown": true, "device.geo-range": true,
	"regs.conflict": true, // warned about
}

func TestDefects(t *testing.T) {
	w := newWorker(t, schema.Admission)
	each(mustNew(t, Config{Seed: 4, Defects: All}), uint64(testkit.Scale(t, 3_000, 20_000, 500_000)), func(text []byte, l Label) {
		v := w.Inspect(text, inspect.Facts{})
		if (v.Action == inspect.ActionForward) != forwarded[l.What] {
			t.Errorf("%s: %v for %q\n%s", l.AppendJSON(nil), v.Action, v.Reason, text)
		}
	})
}

// TestPayloads checks that each attack is found by the pattern that its kind is named after: as
// JSON writes it without layers, and in further encodings with them.
func TestPayloads(t *testing.T) {
	plain, err := payload.New(payload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	layered, err := payload.New(payload.Options{Layers: payload.AllLayers})
	if err != nil {
		t.Fatal(err)
	}
	found := func(s *payload.Scanner, text []byte, id string) bool {
		matches, _ := s.Scan(nil, text)
		for _, m := range matches {
			if s.Pattern(m.Pattern).ID == id {
				return true
			}
		}
		return false
	}
	admission := newWorker(t, schema.Admission)
	for _, shape := range Shapes() {
		each(mustNew(t, Config{Seed: 9, Payloads: All, Shape: shape}), uint64(testkit.Scale(t, 500, 1_500, 100_000)), func(text []byte, l Label) {
			inJSON := l.How == "plain" || l.How == "case" || l.How == "escapes"
			if !found(layered, text, l.What) {
				t.Errorf("%s is not found with all layers\n%s", l.AppendJSON(nil), text)
			}
			if found(plain, text, l.What) != inJSON {
				t.Errorf("%s: found without layers: %v\n%s", l.AppendJSON(nil), !inJSON, text)
			}
			if v := admission.Inspect(text, inspect.Facts{}); v.Action == inspect.ActionRefuse && v.Findings[0].Inspector != inspect.InspectorPayload {
				t.Errorf("%s is refused for %s\n%s", l.AppendJSON(nil), v.Reason, text)
			}
		})
	}
}
