package batch

import "io"

// Reader finds the documents of one input, one after the other, without checking them. It finds
// the same documents as [Check]. One goroutine at a time may use it.
type Reader struct {
	opts    Options
	source  *source
	buffers *buffers
	chunk   chunk
	docs    []span
	next    int
	number  int64
	at      position // where the chunk begins
	places  tracker
	name    string
	err     error
}

// NewReader opens an input. Close the Reader to close it again.
func NewReader(in Input, opts Options) (*Reader, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Reader{opts: opts, name: in.Name, buffers: newBuffers(opts.ChunkSize, 2*int64(opts.ChunkSize+opts.MaxDocument))}
	if r.source, err = openSource(&in, opts, r.buffers); err != nil {
		return nil, &InputError{Input: in.Name, Err: err}
	}
	return r, nil
}

// Next returns the next document; its Data is valid until the next call. After the last it
// returns [io.EOF], or an [*InputError] if the input could not be read to its end.
func (r *Reader) Next() (Document, error) {
	for r.next == len(r.docs) {
		if r.err == nil {
			r.err = r.refill()
		}
		if r.err != nil {
			return Document{}, r.err
		}
	}
	s := r.docs[r.next]
	r.next++
	r.number++
	data := r.chunk.data[s.start:s.end]
	line, column := r.at.plus(r.places.at(s.start)).human()
	return Document{
		Data: data, Number: r.number, Offset: r.chunk.offset + int64(s.start), Line: line, Column: column,
		Type: r.opts.Type.typeOf(data), TooLarge: s.large,
	}, nil
}

// refill gets the next chunk.
func (r *Reader) refill() error {
	r.at = r.at.plus(r.places.at(len(r.chunk.data)))
	if r.chunk.buf != nil {
		r.buffers.put(r.chunk.buf)
		r.chunk.buf, r.chunk.data = nil, nil
	}
	r.docs, r.next, r.places = r.docs[:0], 0, tracker{}
	switch err := cause(r.source.next(&r.chunk)); {
	case err == io.EOF:
		return err
	case err != nil:
		return &InputError{Input: r.name, Bytes: r.source.total, Documents: r.number, Line: r.at.lines + 1, Err: err}
	}
	r.places.text = r.chunk.data
	r.chunk.each(r.opts.MaxDocument, func(start, end int, large bool) {
		r.docs = append(r.docs, span{start, end, large})
	})
	return nil
}

// Close releases the input. It must not be called during Next.
func (r *Reader) Close() error {
	r.source.close()
	return nil
}
