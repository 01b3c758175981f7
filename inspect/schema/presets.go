package schema

// presetSeverities are the tables of the presets.
var presetSeverities = map[Preset]func(*Rule) Severity{
	Strict:     func(r *Rule) Severity { return r.Severity },
	Exchange:   exchangeSeverity,
	Permissive: permissiveSeverity,
}

// exchangeSeverity is the table of the [Exchange] preset.
func exchangeSeverity(r *Rule) Severity {
	switch {
	case r.Severity == Error:
		return Error
	case r.Severity != Warn:
		return Off
	case r.Source == "derived":
		// Advice stays where ignoring it costs a bid or money: for bids that don't answer the
		// request, and for values that are repeated or exclude each other.
		if r.Scope == "pair" || r.Kind == "reference" || r.Kind == "unique" || r.Kind == "exclusive" {
			return Warn
		}
		return Off
	case r.Kind == "deprecated" || r.Kind == "moved" || r.Kind == "removed":
		return Off
	}
	return Warn
}

// permissiveSeverity is the table of the [Permissive] preset.
func permissiveSeverity(r *Rule) Severity {
	if r.Severity != Error {
		return Off
	}
	switch r.Kind {
	case "required", "reference", "unique", "cardinality", "type":
		return Error
	}
	return Warn
}
