package scrub

// Retained is how many bytes a scratch keeps for the next request.
func Retained(m *Scratch) int {
	return m.r.Retained() + cap(m.text) + 24*cap(m.steps) + 24*cap(m.marks)
}
