package schema

import "testing"

// TestTextLayerIsForOneDocument: the text layer reads what the decoder can't vouch for, and a clean
// document after one of these is not read.
func TestTextLayerIsForOneDocument(t *testing.T) {
	engine, err := New(WithPreset(Admission))
	if err != nil {
		t.Fatal(err)
	}
	c := engine.NewChecker()
	request, response := []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"1"}}`), clean(t, "response")
	for _, dirty := range []string{
		`{"id":"1","id":"2","imp":[]}`, `{"id":1}`, `{"id":"1","imp":[{}]}`, "{\"id\":\"\xff\"}", `{"ID":"1"}`, `{`, `[]`, `x`,
		`{"id":"1","seatbid":[{"bid":[{"price":"x"}]}]}`, `{"id":"1","seatbid":{"bid":[]},"seatbid":[]}`,
	} {
		for _, doc := range []struct {
			doc   Doc
			clean []byte
			check func([]byte) Report
		}{
			{Request, request, c.Request}, {Response, response, c.Response},
			{Response, response, func(text []byte) Report {
				_, _ = c.DecodeResponse(text)
				defer c.ReleaseResponse()
				return c.JudgeResponse(engine)
			}},
		} {
			if r := doc.check([]byte(dirty)); len(r.Findings) == 0 && doc.doc == Request {
				t.Errorf("%q is clean", dirty)
			}
			doc.check(doc.clean)
			if c.docs[doc.doc].read || c.docs[doc.doc].known {
				t.Errorf("the text layer reads a clean %v after %q", doc.doc, dirty)
			}
		}
	}
}
