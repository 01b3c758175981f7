package schema

// presetSeverities are the tables of the presets.
var presetSeverities = map[Preset]func(*Rule) Severity{
	Strict:     func(r *Rule) Severity { return r.Severity },
	Exchange:   exchangeSeverity,
	Permissive: permissiveSeverity,
	Admission:  admissionSeverity,
}

// exchangeSeverity is the table of the [Exchange] preset.
func exchangeSeverity(r *Rule) Severity {
	switch {
	case r.Severity == Error:
		return Error
	case r.ID == "any.duplicate-key":
		return Warn // the next parser may take the other copy, of regs for instance
	case r.Severity != Warn:
		return Off
	case r.Source == "derived":
		// Advice stays where ignoring it costs a bid or money: for bids that don't answer the
		// request, and for values that are repeated or exclude each other.
		if r.Scope == "pair" || r.Kind == "reference" || r.Kind == "unique" || r.Kind == "exclusive" || r.Kind == "conflict" {
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

// admissionSeverity is the table of the [Admission] preset.
func admissionSeverity(r *Rule) Severity {
	n, _ := ruleNumber(r.ID)
	return admissionSeverities[n]
}

// admissionErrors are the rules that the [Admission] preset makes errors, besides those about texts
// that can't be decoded. Each group is a thing that auction servers refuse.
var admissionErrors = [...]ruleID{
	// the text: wrong types, a key twice, another letter case, NUL, escapes in keys
	ruleAnyObject, ruleAnyType, ruleAnyInteger, ruleAnyExt, ruleAnyUtf8, ruleNativeRequestString,
	ruleAnyDuplicateKey, ruleAnyExtDuplicateKey, ruleAnyKeyCase, ruleAnyExtKeyCase, ruleAnyExtType,
	ruleAnyNul, ruleAnyKeyEscape,

	// the request
	ruleBidRequestIdRequired, ruleBidRequestImpRequired, ruleBidRequestImpMin, ruleBidRequestTmaxRange,
	ruleBidRequestChannelExclusive, ruleBidRequestChannelPresent, ruleDOOHExclusive,

	// impressions
	ruleImpIdRequired, ruleBidRequestImpIdUnique, ruleImpMedia, ruleMetricEmpty,

	// banners and their formats
	ruleBannerSized, ruleBannerWhPair, ruleBannerWRange, ruleBannerHRange, ruleBannerRemoved,
	ruleFormatShape, ruleFormatWhPair, ruleFormatBoth, ruleFormatPositive,
	ruleFormatWRange, ruleFormatHRange, ruleFormatWratioRange, ruleFormatHratioRange, ruleFormatWminRange,

	// video and audio
	ruleVideoMimesRequired, ruleVideoMimesMin, ruleVideoWRange, ruleVideoHRange,
	ruleVideoMinbitrateRange, ruleVideoMaxbitrateRange,
	ruleAudioMimesRequired, ruleAudioMimesMin, ruleAudioSequenceRange, ruleAudioMaxseqRange,
	ruleAudioMinbitrateRange, ruleAudioMaxbitrateRange,

	// native
	ruleNativeRequestRequired, ruleNativeRequestFormat, ruleNativeRequestJson,
	ruleNativeRequestAssetsRequired, ruleNativeRequestAssetsMin, ruleNativeRequestAssetsIds,
	ruleNativeAssetRequestOne, ruleNativeAssetRequestIdUnique,
	ruleNativeTitleRequestLenRequired, ruleNativeTitleRequestLenPositive, ruleNativeImageRequestSizeRange,
	ruleNativeVideoRequestMimesRequired, ruleNativeVideoRequestMindurationRequired,
	ruleNativeVideoRequestMaxdurationRequired, ruleNativeVideoRequestProtocolsRequired,
	ruleNativeVideoRequestProtocolsEnum,
	ruleNativeDataRequestTypeRequired, ruleNativeDataRequestTypeEnum,
	ruleNativeRequestContextEnum, ruleNativeRequestContextsubtypeEnum, ruleNativeRequestContextSubtype,
	ruleNativeRequestPlcmttypeEnum,
	ruleNativeEventTrackerRequestEventRequired, ruleNativeEventTrackerRequestEventEnum,
	ruleNativeEventTrackerRequestMethodsRequired, ruleNativeEventTrackerRequestMethodsEnum,

	// deals, inventory, regulations, device, places
	ruleDealIdRequired, ruleSiteIdentity, ruleDOOHIdentity, ruleRegsGdprFlag,
	ruleDeviceWRange, ruleDeviceHRange, ruleDevicePpiRange, ruleGeoAccuracyRange,
}

// admissionWarnings are what auction servers mend or drop.
var admissionWarnings = [...]ruleID{
	ruleBidRequestCurOne, ruleRegsGppFormat, ruleRegsGppHeader, ruleUserConsentGpp, ruleRegsGdprGppSid,
	ruleEIDUidsPresent, ruleUIDIdPresent, ruleRegsUsPrivacyFormat,
	ruleDeviceIpFormat, ruleDeviceIpv6Format, ruleDeviceIpPublic,
	ruleNativeRequestRoot11, ruleNativeRequestRoot, ruleNativeRequestTwice, ruleNativeRequestPlcmttypeNeeded,
	// two places of a legacy field
	ruleBidRequestSchainConflict, ruleSourceSchainConflict, ruleRegsGdprConflict, ruleRegsUsPrivacyConflict,
	ruleRegsGppConflict, ruleRegsGppSidConflict, ruleUserConsentConflict, ruleUserEidsConflict,
	ruleImpRwddConflict, ruleSiteInventorypartnerdomainConflict, ruleAppInventorypartnerdomainConflict, ruleDataCidsConflict,
}

// admissionSeverities is the table of the [Admission] preset.
var admissionSeverities = func() (table [len(rules)]Severity) {
	for _, r := range admissionWarnings {
		table[r] = Warn
	}
	for _, r := range admissionErrors {
		table[r] = Error
	}
	for i := range rules {
		if rules[i].Source == "contract" {
			table[i] = rules[i].Severity
		}
	}
	return table
}()
