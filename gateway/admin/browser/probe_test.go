package browser

import (
	_ "github.com/chromedp/chromedp"
)
