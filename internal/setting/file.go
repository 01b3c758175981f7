package setting

// This file makes tables of what packages have registered.

// publisherMax is the longest id of a publisher, in bytes.
const publisherMax = 256

// Sections returns the settings of a whole file, and describes its mappings. Partners are not among
// them.
func Sections() (fields []Field[Scope], groups []Group[Scope]) {
	for _, m := range Modules() {
		prefix := ""
		if m.Section != "" {
			prefix = m.Section + "."
		}
		if m.Name != "" {
			groups = append(groups, Group[Scope]{Path: m.Section, Name: m.Name, Doc: m.Doc, Help: m.Help, Example: m.Example})
		}
		for _, f := range m.Fields {
			fields = append(fields, f.Under(prefix))
		}
		for _, g := range m.Groups {
			g.Path = prefix + g.Path
			groups = append(groups, g)
		}
	}
	return fields, groups
}

// Partners is the type of partners, by name, with their publishers.
func Partners() Type[[]*Scope] {
	partner := &Object[Scope]{Name: "partner", Doc: "A sender of requests. Its layer is inside the global one."}
	publisher := &Object[Scope]{Name: "publisher", Doc: "A publisher of a partner. Its layer is inside the partner's."}
	for _, m := range Modules() {
		partner.Fields, partner.Groups = append(partner.Fields, m.Partner...), append(partner.Groups, m.PartnerGroups...)
		publisher.Fields, publisher.Groups = append(publisher.Fields, m.Publisher...), append(publisher.Groups, m.PublisherGroups...)
	}
	publishers := scopesOf(Text("the id of a publisher", publisherMax), publisher)
	partner.Fields = append(partner.Fields, F("publishers", publishers, func(p *Scope) *[]*Scope { return &p.Inner },
		"Publishers, by the id that requests have, with what is different for each.").Example(`publishers: {pub-123: {severities: {"policy.*": warn}}}`))
	return scopesOf(Identifier(), partner)
}

// scopesOf is the type of mappings from names to scopes.
func scopesOf(name Type[string], o *Object[Scope]) Type[[]*Scope] {
	return Convert(MapOf(name, o.Type()), func(entries []Entry[Scope]) (list []*Scope) {
		for i := range entries {
			own := &entries[i].Value
			own.Name, own.Place = entries[i].Name, PlaceOf(entries[i].Key)
			list = append(list, own)
		}
		return list
	})
}
