package simulate

import (
	"cmp"
	"slices"
)

// object is a kind of JSON object. A producer writes the members of each kind in its own order.
type object uint8

const (
	objRequest object = iota
	objImp
	objBanner
	objVideo
	objAudio
	objNative
	objPMP
	objDeal
	objSite
	objApp
	objDOOH
	objPublisher
	objContent
	objDevice
	objGeo
	objSUA
	objUser
	objRegs
	objSource
	objSchain
	objNode
	objects
)

// detail is how much a request says. Real traffic ranges from four values to hundreds.
type detail uint8

const (
	bare  detail = iota // what auction servers insist on
	short               // who asks, from where
	usual               // what most bidders need for a bid
	full                // what exchanges send each other
	rich                // everything
)

// member is a member of an object.
type member uint8

// spec says when a member is written.
type spec struct {
	object object
	key    string
	from   detail // in requests with at least this detail
	share  int    // in so many of a hundred of them
	newer  bool   // only by producers of OpenRTB 2.6
}

const (
	reqID member = iota
	reqImp
	reqSite
	reqApp
	reqDOOH
	reqDevice
	reqUser
	reqTest
	reqAt
	reqTmax
	reqWseat
	reqAllimps
	reqCur
	reqWlang
	reqBcat
	reqCattax
	reqBadv
	reqBapp
	reqSource
	reqRegs
	reqExt

	impID
	impMetric
	impBanner
	impVideo
	impAudio
	impNative
	impPMP
	impDisplayManager
	impDisplayManagerVer
	impInstl
	impTagID
	impFloor
	impFloorCur
	impClickBrowser
	impSecure
	impRwdd
	impSSAI
	impExp
	impQty
	impDt
	impExt

	bannerFormat
	bannerW
	bannerH
	bannerBtype
	bannerBattr
	bannerPos
	bannerMimes
	bannerTopFrame
	bannerAPI
	bannerID

	videoMimes
	videoMin
	videoMax
	videoStartDelay
	videoMaxSeq
	videoPodDur
	videoProtocols
	videoW
	videoH
	videoPodID
	videoPodSeq
	videoRqdDurs
	videoPlacement
	videoPlcmt
	videoLinearity
	videoSkip
	videoSkipMin
	videoSlotInPod
	videoMinCPM
	videoSequence
	videoBattr
	videoMaxBitrate
	videoPlayback
	videoDelivery
	videoPos
	videoAPI

	audioMimes
	audioMin
	audioMax
	audioProtocols
	audioStartDelay
	audioFeed
	audioStitched
	audioNvol
	audioAPI

	nativeRequest
	nativeVer
	nativeAPI
	nativeBattr

	pmpPrivate
	pmpDeals

	dealID
	dealFloor
	dealFloorCur
	dealAt
	dealWseat
	dealWadomain

	siteID
	siteName
	siteDomain
	siteCat
	sitePage
	siteRef
	siteKeywords
	siteMobile
	sitePrivacy
	sitePublisher
	siteContent
	siteExt

	appID
	appName
	appBundle
	appDomain
	appStoreURL
	appCat
	appVer
	appPrivacy
	appPaid
	appPublisher
	appContent
	appInventory

	doohID
	doohName
	doohVenue
	doohVenueTax
	doohPublisher
	doohDomain

	pubID
	pubName
	pubDomain
	pubCat

	contentID
	contentTitle
	contentSeries
	contentSeason
	contentEpisode
	contentGenre
	contentCat
	contentRating
	contentLen
	contentLive
	contentLanguage
	contentNetwork
	contentChannel

	devGeo
	devDNT
	devLMT
	devUA
	devSUA
	devIP
	devIPv6
	devType
	devMake
	devModel
	devOS
	devOSV
	devHWV
	devH
	devW
	devPPI
	devRatio
	devJS
	devGeoFetch
	devLanguage
	devCarrier
	devMCCMNC
	devConnection
	devIFA
	devExt

	geoLat
	geoLon
	geoType
	geoAccuracy
	geoCountry
	geoRegion
	geoMetro
	geoCity
	geoZip
	geoUTC

	suaBrowsers
	suaPlatform
	suaMobile
	suaArchitecture
	suaBitness
	suaModel
	suaSource

	userID
	userBuyerUID
	userYOB
	userGender
	userKeywords
	userConsent
	userEIDs
	userData
	userExt

	regsCOPPA
	regsGDPR
	regsUSPrivacy
	regsGPP
	regsGPPSID
	regsExt

	sourceFD
	sourceTID
	sourceSchain
	sourceExt

	schainComplete
	schainVer
	schainNodes

	nodeASI
	nodeSID
	nodeHP
	nodeRID
	nodeDomain

	memberCount
)

// members are all members, in the order of the specification.
var members = [memberCount]spec{
	reqID:      {objRequest, "id", bare, 100, false},
	reqImp:     {objRequest, "imp", bare, 100, false},
	reqSite:    {objRequest, "site", bare, 100, false},
	reqApp:     {objRequest, "app", bare, 100, false},
	reqDOOH:    {objRequest, "dooh", bare, 100, true},
	reqDevice:  {objRequest, "device", short, 100, false},
	reqUser:    {objRequest, "user", usual, 60, false},
	reqTest:    {objRequest, "test", usual, 3, false},
	reqAt:      {objRequest, "at", usual, 40, false},
	reqTmax:    {objRequest, "tmax", usual, 55, false},
	reqWseat:   {objRequest, "wseat", full, 8, false},
	reqAllimps: {objRequest, "allimps", full, 8, false},
	reqCur:     {objRequest, "cur", usual, 40, false},
	reqWlang:   {objRequest, "wlang", rich, 20, false},
	reqBcat:    {objRequest, "bcat", full, 45, false},
	reqCattax:  {objRequest, "cattax", full, 15, true},
	reqBadv:    {objRequest, "badv", full, 35, false},
	reqBapp:    {objRequest, "bapp", rich, 25, false},
	reqSource:  {objRequest, "source", full, 60, false},
	reqRegs:    {objRequest, "regs", usual, 40, false},
	reqExt:     {objRequest, "ext", usual, 20, false},

	impID:                {objImp, "id", bare, 100, false},
	impMetric:            {objImp, "metric", rich, 25, false},
	impBanner:            {objImp, "banner", bare, 100, false},
	impVideo:             {objImp, "video", bare, 100, false},
	impAudio:             {objImp, "audio", bare, 100, false},
	impNative:            {objImp, "native", bare, 100, false},
	impPMP:               {objImp, "pmp", full, 30, false},
	impDisplayManager:    {objImp, "displaymanager", full, 30, false},
	impDisplayManagerVer: {objImp, "displaymanagerver", full, 30, false},
	impInstl:             {objImp, "instl", usual, 50, false},
	impTagID:             {objImp, "tagid", short, 55, false},
	impFloor:             {objImp, "bidfloor", short, 50, false},
	impFloorCur:          {objImp, "bidfloorcur", usual, 40, false},
	impClickBrowser:      {objImp, "clickbrowser", full, 20, false},
	impSecure:            {objImp, "secure", usual, 50, false},
	impRwdd:              {objImp, "rwdd", usual, 100, true},
	impSSAI:              {objImp, "ssai", usual, 60, true},
	impExp:               {objImp, "exp", full, 15, false},
	impQty:               {objImp, "qty", bare, 100, true},
	impDt:                {objImp, "dt", short, 80, true},
	impExt:               {objImp, "ext", short, 60, false},

	bannerFormat:   {objBanner, "format", bare, 100, false},
	bannerW:        {objBanner, "w", bare, 100, false},
	bannerH:        {objBanner, "h", bare, 100, false},
	bannerBtype:    {objBanner, "btype", full, 15, false},
	bannerBattr:    {objBanner, "battr", full, 40, false},
	bannerPos:      {objBanner, "pos", usual, 30, false},
	bannerMimes:    {objBanner, "mimes", full, 20, false},
	bannerTopFrame: {objBanner, "topframe", full, 35, false},
	bannerAPI:      {objBanner, "api", usual, 25, false},
	bannerID:       {objBanner, "id", rich, 30, false},

	videoMimes:      {objVideo, "mimes", bare, 100, false},
	videoMin:        {objVideo, "minduration", short, 60, false},
	videoMax:        {objVideo, "maxduration", short, 70, false},
	videoStartDelay: {objVideo, "startdelay", usual, 45, false},
	videoMaxSeq:     {objVideo, "maxseq", bare, 100, true},
	videoPodDur:     {objVideo, "poddur", bare, 100, true},
	videoProtocols:  {objVideo, "protocols", short, 70, false},
	videoW:          {objVideo, "w", bare, 75, false},
	videoH:          {objVideo, "h", bare, 75, false},
	videoPodID:      {objVideo, "podid", bare, 100, true},
	videoPodSeq:     {objVideo, "podseq", usual, 100, true},
	videoRqdDurs:    {objVideo, "rqddurs", usual, 100, true},
	videoPlacement:  {objVideo, "placement", usual, 45, false},
	videoPlcmt:      {objVideo, "plcmt", usual, 75, true},
	videoLinearity:  {objVideo, "linearity", usual, 40, false},
	videoSkip:       {objVideo, "skip", usual, 40, false},
	videoSkipMin:    {objVideo, "skipmin", full, 40, false},
	videoSlotInPod:  {objVideo, "slotinpod", usual, 70, true},
	videoMinCPM:     {objVideo, "mincpmpersec", full, 50, true},
	videoSequence:   {objVideo, "sequence", usual, 60, false},
	videoBattr:      {objVideo, "battr", full, 35, false},
	videoMaxBitrate: {objVideo, "maxbitrate", full, 25, false},
	videoPlayback:   {objVideo, "playbackmethod", usual, 45, false},
	videoDelivery:   {objVideo, "delivery", full, 40, false},
	videoPos:        {objVideo, "pos", usual, 20, false},
	videoAPI:        {objVideo, "api", usual, 50, false},

	audioMimes:      {objAudio, "mimes", bare, 100, false},
	audioMin:        {objAudio, "minduration", short, 60, false},
	audioMax:        {objAudio, "maxduration", short, 60, false},
	audioProtocols:  {objAudio, "protocols", short, 60, false},
	audioStartDelay: {objAudio, "startdelay", usual, 40, false},
	audioFeed:       {objAudio, "feed", usual, 40, false},
	audioStitched:   {objAudio, "stitched", usual, 30, false},
	audioNvol:       {objAudio, "nvol", usual, 20, false},
	audioAPI:        {objAudio, "api", full, 30, false},

	nativeRequest: {objNative, "request", bare, 100, false},
	nativeVer:     {objNative, "ver", bare, 80, false},
	nativeAPI:     {objNative, "api", full, 25, false},
	nativeBattr:   {objNative, "battr", full, 30, false},

	pmpPrivate: {objPMP, "private_auction", full, 80, false},
	pmpDeals:   {objPMP, "deals", full, 100, false},

	dealID:       {objDeal, "id", bare, 100, false},
	dealFloor:    {objDeal, "bidfloor", full, 85, false},
	dealFloorCur: {objDeal, "bidfloorcur", full, 70, false},
	dealAt:       {objDeal, "at", full, 80, false},
	dealWseat:    {objDeal, "wseat", full, 40, false},
	dealWadomain: {objDeal, "wadomain", rich, 30, false},

	siteID:        {objSite, "id", short, 35, false},
	siteName:      {objSite, "name", usual, 25, false},
	siteDomain:    {objSite, "domain", short, 45, false},
	siteCat:       {objSite, "cat", usual, 25, false},
	sitePage:      {objSite, "page", bare, 100, false},
	siteRef:       {objSite, "ref", usual, 25, false},
	siteKeywords:  {objSite, "keywords", full, 20, false},
	siteMobile:    {objSite, "mobile", full, 30, false},
	sitePrivacy:   {objSite, "privacypolicy", full, 20, false},
	sitePublisher: {objSite, "publisher", short, 60, false},
	siteContent:   {objSite, "content", rich, 30, false},
	siteExt:       {objSite, "ext", full, 25, false},

	appID:        {objApp, "id", bare, 60, false},
	appName:      {objApp, "name", short, 50, false},
	appBundle:    {objApp, "bundle", bare, 100, false},
	appDomain:    {objApp, "domain", usual, 30, false},
	appStoreURL:  {objApp, "storeurl", short, 35, false},
	appCat:       {objApp, "cat", usual, 45, false},
	appVer:       {objApp, "ver", usual, 45, false},
	appPrivacy:   {objApp, "privacypolicy", full, 25, false},
	appPaid:      {objApp, "paid", full, 30, false},
	appPublisher: {objApp, "publisher", short, 65, false},
	appContent:   {objApp, "content", usual, 85, false},
	appInventory: {objApp, "inventorypartnerdomain", full, 20, true},

	doohID:        {objDOOH, "id", bare, 100, true},
	doohName:      {objDOOH, "name", short, 70, true},
	doohVenue:     {objDOOH, "venuetype", bare, 100, true},
	doohVenueTax:  {objDOOH, "venuetypetax", usual, 60, true},
	doohPublisher: {objDOOH, "publisher", short, 80, true},
	doohDomain:    {objDOOH, "domain", usual, 40, true},

	pubID:     {objPublisher, "id", bare, 100, false},
	pubName:   {objPublisher, "name", usual, 45, false},
	pubDomain: {objPublisher, "domain", usual, 40, false},
	pubCat:    {objPublisher, "cat", rich, 20, false},

	contentID:       {objContent, "id", full, 60, false},
	contentTitle:    {objContent, "title", usual, 70, false},
	contentSeries:   {objContent, "series", usual, 60, false},
	contentSeason:   {objContent, "season", full, 60, false},
	contentEpisode:  {objContent, "episode", full, 60, false},
	contentGenre:    {objContent, "genre", usual, 75, false},
	contentCat:      {objContent, "cat", full, 40, false},
	contentRating:   {objContent, "contentrating", full, 60, false},
	contentLen:      {objContent, "len", usual, 60, false},
	contentLive:     {objContent, "livestream", usual, 70, false},
	contentLanguage: {objContent, "language", usual, 70, false},
	contentNetwork:  {objContent, "network", full, 40, true},
	contentChannel:  {objContent, "channel", full, 40, true},

	devGeo:        {objDevice, "geo", usual, 55, false},
	devDNT:        {objDevice, "dnt", usual, 45, false},
	devLMT:        {objDevice, "lmt", usual, 45, false},
	devUA:         {objDevice, "ua", short, 100, false},
	devSUA:        {objDevice, "sua", full, 55, true},
	devIP:         {objDevice, "ip", short, 85, false},
	devIPv6:       {objDevice, "ipv6", full, 40, false},
	devType:       {objDevice, "devicetype", usual, 60, false},
	devMake:       {objDevice, "make", usual, 50, false},
	devModel:      {objDevice, "model", usual, 50, false},
	devOS:         {objDevice, "os", usual, 65, false},
	devOSV:        {objDevice, "osv", usual, 55, false},
	devHWV:        {objDevice, "hwv", full, 50, false},
	devH:          {objDevice, "h", usual, 40, false},
	devW:          {objDevice, "w", usual, 40, false},
	devPPI:        {objDevice, "ppi", full, 25, false},
	devRatio:      {objDevice, "pxratio", full, 45, false},
	devJS:         {objDevice, "js", usual, 40, false},
	devGeoFetch:   {objDevice, "geofetch", full, 10, false},
	devLanguage:   {objDevice, "language", usual, 60, false},
	devCarrier:    {objDevice, "carrier", usual, 45, false},
	devMCCMNC:     {objDevice, "mccmnc", full, 45, false},
	devConnection: {objDevice, "connectiontype", usual, 50, false},
	devIFA:        {objDevice, "ifa", short, 100, false},
	devExt:        {objDevice, "ext", usual, 60, false},

	geoLat:      {objGeo, "lat", usual, 60, false},
	geoLon:      {objGeo, "lon", usual, 60, false},
	geoType:     {objGeo, "type", usual, 60, false},
	geoAccuracy: {objGeo, "accuracy", full, 30, false},
	geoCountry:  {objGeo, "country", bare, 100, false},
	geoRegion:   {objGeo, "region", usual, 45, false},
	geoMetro:    {objGeo, "metro", usual, 45, false},
	geoCity:     {objGeo, "city", usual, 55, false},
	geoZip:      {objGeo, "zip", full, 55, false},
	geoUTC:      {objGeo, "utcoffset", full, 50, false},

	suaBrowsers:     {objSUA, "browsers", bare, 100, true},
	suaPlatform:     {objSUA, "platform", bare, 100, true},
	suaMobile:       {objSUA, "mobile", bare, 90, true},
	suaArchitecture: {objSUA, "architecture", rich, 60, true},
	suaBitness:      {objSUA, "bitness", rich, 60, true},
	suaModel:        {objSUA, "model", full, 100, true},
	suaSource:       {objSUA, "source", full, 80, true},

	userID:       {objUser, "id", usual, 65, false},
	userBuyerUID: {objUser, "buyeruid", usual, 60, false},
	userYOB:      {objUser, "yob", full, 12, false},
	userGender:   {objUser, "gender", full, 15, false},
	userKeywords: {objUser, "keywords", full, 10, false},
	userConsent:  {objUser, "consent", usual, 85, true},
	userEIDs:     {objUser, "eids", full, 75, true},
	userData:     {objUser, "data", full, 30, false},
	userExt:      {objUser, "ext", usual, 85, false},

	regsCOPPA:     {objRegs, "coppa", usual, 45, false},
	regsGDPR:      {objRegs, "gdpr", usual, 90, true},
	regsUSPrivacy: {objRegs, "us_privacy", usual, 70, true},
	regsGPP:       {objRegs, "gpp", full, 55, true},
	regsGPPSID:    {objRegs, "gpp_sid", full, 55, true},
	regsExt:       {objRegs, "ext", usual, 100, false},

	sourceFD:     {objSource, "fd", full, 55, false},
	sourceTID:    {objSource, "tid", full, 85, false},
	sourceSchain: {objSource, "schain", full, 80, true},
	sourceExt:    {objSource, "ext", full, 80, false},

	schainComplete: {objSchain, "complete", bare, 100, false},
	schainVer:      {objSchain, "ver", bare, 100, false},
	schainNodes:    {objSchain, "nodes", bare, 100, false},

	nodeASI:    {objNode, "asi", bare, 100, false},
	nodeSID:    {objNode, "sid", bare, 100, false},
	nodeHP:     {objNode, "hp", bare, 100, false},
	nodeRID:    {objNode, "rid", rich, 35, false},
	nodeDomain: {objNode, "domain", rich, 20, false},
}

// ordering is how a producer orders members.
type ordering uint8

const (
	specified ordering = iota // as the specification lists them
	sorted                    // by name, as maps are written
	hashed                    // as hash tables happen to have them
	backwards                 // the other way around
)

// orders returns the members of each object in an order. seed is for hashed.
func orders(by ordering, seed uint64) (out [objects][]member) {
	for m := range memberCount {
		o := members[m].object
		out[o] = append(out[o], m)
	}
	for _, list := range out {
		switch by {
		case sorted:
			slices.SortFunc(list, func(a, b member) int { return cmp.Compare(members[a].key, members[b].key) })
		case hashed:
			slices.SortFunc(list, func(a, b member) int { return cmp.Compare(hash(seed, keyHash(a)), hash(seed, keyHash(b))) })
		case backwards:
			slices.Reverse(list)
		}
	}
	return out
}

// keyHash returns a number for a member's name, so that orders do not change when members are
// added.
func keyHash(m member) uint64 {
	h := uint64(members[m].object)
	for _, c := range []byte(members[m].key) {
		h = hash(h, uint64(c))
	}
	return h
}
