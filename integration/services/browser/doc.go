// Package browser opens the pages that dapple writes in a headless browser, at the widths of a screen and of a phone, in
// light, dark and print: nothing overlaps, no text is cut off, nothing is fetched, the console stays silent, every screenful of
// what is not private says so, and axe-core finds nothing.
//
// Two variables say where the tools are; run.sh sets them:
//
//	DAPPLE_CHROMIUM      Chromium or Chrome
//	DAPPLE_NODE_MODULES  a directory that holds playwright-core and axe-core
//
// With DAPPLE_PAGES=DIR the pages and pictures of them are left there.
package browser
