package schema

// exchangeSeverity is the table of the [Exchange] preset.
func exchangeSeverity(r *Rule) Severity {
	switch {
	case r.Severity == Error:
		return Error
	case r.Severity != Warn:
		return Off
	case r.Source == "derived":
		// Advice stays, where a bid would be lost or paid wrongly for ignoring it: about bids
		// that don't answer the request, and about what is there twice or excludes another.
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
