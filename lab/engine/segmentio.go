package engine

import segmentio "github.com/segmentio/encoding/json"

func segmentioEngines() []Engine {
	const path = "github.com/segmentio/encoding"
	copying := calls{segmentio.Unmarshal, segmentio.Marshal}
	zeroCopy := calls{
		func(data []byte, v any) error {
			_, err := segmentio.Parse(data, v, segmentio.ZeroCopy)
			return err
		},
		segmentio.Marshal,
	}
	return []Engine{{
		Name: "segmentio", Module: path,
		Config:  "json.Unmarshal(data, new(T)); json.Marshal(v)",
		Source:  "json/README.md: drop-in replacement",
		Safety:  Safety{Copies: Yes, UTF8: Repairs, CaseSensitive: No},
		Request: copying.request(), Response: copying.response(), Fields: copying.fields,
		Validate: segmentio.Valid,
	}, {
		Name: "segmentio-zerocopy", Module: path,
		Config:  "json.Parse(data, new(T), json.ZeroCopy); json.Append(dst, v, 0)",
		Source:  "json/json.go: The zero-copy optimizations are better used in request-handler style",
		Note:    "Parse ignores what follows the value",
		Safety:  Safety{Copies: No, UTF8: Repairs, CaseSensitive: No},
		Request: appending(zeroCopy.request()), Response: appending(zeroCopy.response()), Fields: zeroCopy.fields,
	}}
}

// appending writes with segmentio's Append instead of Marshal.
func appending(c Codec) Codec {
	c.Encode = func(dst []byte, v any) ([]byte, error) { return segmentio.Append(dst, v, 0) }
	return c
}
