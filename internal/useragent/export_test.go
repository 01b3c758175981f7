package useragent

// Agent returns the name of the crawler, headless browser or client that is known: "Googlebot". It
// is empty for others.
func (c *Claims) Agent() string { return agents[c.agent].token }

// AllContradictions is the set of all places.
const AllContradictions = ContradictsHintModel<<1 - 1
