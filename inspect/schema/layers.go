package schema

import "github.com/rtbwire/rtbwire/wire"

// layers are the two layers that look at a document, with their working memory: values.go for the
// decoded value, text.go for the bytes. Both add to the same findings (findings.go). A native
// payload, which is a document inside a string, has layers of its own.
type layers struct {
	values
	memory textMemory
}

// begin resets the layers for new documents.
func (l *layers) begin(request, response []byte) {
	l.findings.begin(request, response)
}

// finish sorts the findings by their place in the text and releases the documents.
func (l *layers) finish() Report {
	l.memory.finish()
	l.values.finish()
	return l.findings.finish()
}

// textIsFine does what is left of the text layer after a document was accepted with notes, by a
// decoder that watched keys or did not. It reports false if that takes the way for documents that
// were not accepted.
func (l *layers) textIsFine(doc Doc, root objectID, notes wire.Notes, watched bool) bool {
	l.doc = doc
	wanted := l.engine.notes
	if !watched {
		wanted = l.engine.unwatched
	}
	if l.muted || notes&wanted == 0 && !l.engine.always {
		return true
	}
	return l.accepted(doc, root, notes)
}
