package payload

//go:generate go run ../../internal/tools/payloadgen -root ../..

// Pattern is a literal that is looked for.
type Pattern struct {
	ID      string
	Literal string
	Why     string
}
