package payload

import "github.com/rtbwire/rtbwire/internal/simd/literals"

// This file makes the texts of the layers. The first three stages each apply one more step of all
// layers but Squeeze to the text before them. All others start from the third. They replace white
// space, control characters and comments by one space ("union/**/select") or remove them
// ("java\tscript:"), and then do the same with the signs of comments only, because what looks like
// a comment may not be one, or may be executed.
const (
	stageDecoded       = 3
	stageSqueezed      = 4
	stageDropped       = 5
	stageSignsSqueezed = 6
	stageSignsDropped  = 7
)

// squeezingOf says what a stage does.
func squeezingOf(stage int) squeezing {
	return squeezing{
		drop:  stage == stageDropped || stage == stageSignsDropped,
		signs: stage >= stageSignsSqueezed,
	}
}

// stages searches the texts of all stages that change something. The hits from a number on are the
// ones of the plain text.
func (w *work) stages(raw []byte, l *layer, except []uint64, from int) {
	// Kernels look at whole windows, so that the last bytes must not matter.
	l.text = append(l.text, mark, mark, mark)
	l.stage = append(l.stage[:0], l.text...)
	changed := w.tables.decode != nil
	for stage := 1; stage <= stageDecoded && changed; stage++ {
		if !w.spend(len(l.stage)) {
			return
		}
		changed = l.apply(w.Scanner, stage, nil).changed
		if changed && !w.stage(raw, l, except, from, stage) {
			return
		}
	}
	if w.tables.squeeze == nil {
		return
	}
	l.base = append(l.base[:0], l.stage...)
	var first stepped
	for stage := stageSqueezed; stage <= stageSignsDropped; stage++ {
		if stage == stageDropped && !first.droppable || stage >= stageSignsSqueezed && !first.commented {
			continue
		}
		if !w.spend(len(l.base)) {
			return
		}
		l.stage = append(l.stage[:0], l.base...)
		done := l.apply(w.Scanner, stage, nil)
		if stage == stageSqueezed {
			first = done
		}
		if done.changed && !w.stage(raw, l, except, from, stage) {
			return
		}
	}
}

// apply makes the text of a stage from the one before it.
func (l *layer) apply(s *Scanner, stage int, hits []hit) (done stepped) {
	if stage <= stageDecoded {
		done = decodeStep(l.stage, s.tables.decode, s.layers, hits)
	} else {
		done = squeezeStep(l.stage, s.tables.squeeze, squeezingOf(stage), hits)
	}
	l.stage = l.stage[:done.size]
	return done
}

// stage searches the text of a stage, and finds out where its hits are in raw. It returns false if
// the budget is used up.
func (w *work) stage(raw []byte, l *layer, except []uint64, from, stage int) bool {
	if !w.spend(len(l.stage)) {
		return false
	}
	begin := len(w.hits)
	w.find(&literals.Query{Text: l.stage}, except, from, stage)
	hits := byPosition(w.hits[begin:])
	if len(hits) == 0 {
		return true
	}
	for last := stage; last > 0; last = min(last-1, stageDecoded) {
		if !w.spend(len(l.text) * min(last, stageDecoded+1)) {
			w.hits = w.hits[:begin]
			return false
		}
		l.stage = append(l.stage[:0], l.text...)
		for k := 1; k < min(last, stageDecoded+1); k++ {
			if w.tables.decode != nil {
				l.apply(w.Scanner, k, nil)
			}
		}
		if last > stageDecoded || w.tables.decode != nil {
			l.apply(w.Scanner, last, hits)
		}
	}
	l.toRaw(raw, hits)
	// The next stage starts from this one.
	l.stage = append(l.stage[:0], l.text...)
	for k := 1; k <= min(stage, stageDecoded) && w.tables.decode != nil; k++ {
		l.apply(w.Scanner, k, nil)
	}
	return true
}
