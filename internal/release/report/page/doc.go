// Package page is the look of the HTML files that dapple writes: one file each, without scripts, fonts or
// pictures from elsewhere, readable in light and dark, in print, by keyboard and by screen reader.
//
//	var tmpl = page.Parse(text)                        // text defines "header" and "main"
//	err := page.Write(w, tmpl, page.Head{Title: "…"}, data)
//
// A chart is plain data: Bars, Heat and Split. The templates "bars", "heat" and "split" draw them. Shapes are
// SVG and stretch with the page; everything to be read is text of the page, so that it neither shrinks nor
// runs out of the picture. Each picture has a table of its figures.
//
// Names and labels may hold anything: markup, other directions of writing, thousands of characters.
// html/template escapes them, Short cuts them, and each stands in an element that isolates its direction.
package page
