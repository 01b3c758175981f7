// Package simulate makes OpenRTB bid requests that look like those of real exchanges.
package simulate
