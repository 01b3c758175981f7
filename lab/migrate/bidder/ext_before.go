package bidder

func scoreBefore(req *request) int64 {
	score, _ := req.Ext["score"].(float64) // a number above 2^53 is not exact
	return int64(score)
}
