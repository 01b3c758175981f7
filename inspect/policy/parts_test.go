package policy

import "testing"

// TestParts holds the parts of conditions to the whole: joined by CEL's rules for errors, they have
// the same value.
func TestParts(t *testing.T) {
	e := testEnv(t)
	in := input(t, sample)
	in.Facts = sampleFacts()
	joined := 0
	for _, c := range languageCases {
		if c.want == "issue" {
			continue
		}
		p, err := e.Parts(c.source)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		var check func(p *Part) (holds, failed bool)
		check = func(p *Part) (bool, bool) {
			if p.Condition == nil {
				t.Fatalf("%s: the part %s can't be compiled", c.source, p.Source)
			}
			holds, err := p.Condition.Holds(in)
			if len(p.Parts) == 0 {
				if p.Operator != "" {
					t.Errorf("%s: operator %s without parts", p.Source, p.Operator)
				}
				return holds, err != nil
			}
			joined++
			decides, decided, failed := p.Operator == "||", false, false
			for i := range p.Parts {
				h, f := check(&p.Parts[i])
				decided = decided || !f && h == decides
				failed = failed || f
			}
			if failed = failed && !decided; failed != (err != nil) || !failed && holds != (decided == decides) {
				t.Errorf("%s: %v, %v; its parts say %v, failed %v", p.Source, holds, err, decided == decides, failed)
			}
			return holds, err != nil
		}
		if holds, failed := check(&p); failed != (wantErrors[c.want] != nil) || !failed && holds != (c.want == "true") {
			t.Errorf("%s as %s: %v, failed %v", c.source, p.Source, holds, failed)
		}
	}
	if joined < 30 {
		t.Errorf("only %d conditions have parts", joined)
	}
}

func TestPartsShape(t *testing.T) {
	e := testEnv(t)
	p, err := e.Parts("has(site)   && (tmax>1||\n tmax < 0 || 'x' in cur) && !(has(app) && at == 1) && has(site.domain)")
	if err != nil {
		t.Fatal(err)
	}
	if p.Operator != "&&" || len(p.Parts) != 4 || p.Parts[1].Operator != "||" || len(p.Parts[1].Parts) != 3 {
		t.Fatalf("%+v", p)
	}
	for i, want := range []string{"has(site)", `tmax > 1 || tmax < 0 || "x" in cur`, "!(has(app) && at == 1)", "has(site.domain)"} {
		if p.Parts[i].Source != want {
			t.Errorf("part %d is %s, want %s", i, p.Parts[i].Source, want)
		}
	}
	for _, wrong := range []string{"a &&", "\xff", string(make([]byte, SourceMax+1))} {
		if _, err := e.Parts(wrong); err == nil {
			t.Errorf("%.20q has parts", wrong)
		}
	}
	// A part that only the interpreter takes.
	if p, err := e.Parts(`{"a": 1}["a"] == 1 && has(site)`, Interpreted); err != nil || p.Parts[0].Condition == nil {
		t.Errorf("%+v, %v", p, err)
	}
}
