package page

import (
	_ "embed" // the layout and its style
	"fmt"
	"html/template"
	"io"
	"reflect"
)

//go:embed style.css
var style string

//go:embed layout.html
var layout string

// Head is what every page has.
type Head struct {
	Title  string
	Banner string // stands on every screenful and on every printed page; empty: none
}

// Fact is a figure of the first screen. The template "facts" writes a list of them.
type Fact struct{ Term, Text, More string }

// Parse returns a page's template. text defines "header", "main" and, in the order of the page, the links of
// "contents".
func Parse(text string) *template.Template {
	t := template.New("page").Funcs(template.FuncMap{
		"short":   func(s string) string { return Short(s, labelRunes) },
		"small":   Small,
		"percent": Percent,
		"count":   whole,
		"style":   func() template.CSS { return template.CSS(style) }, // our own text
	})
	return template.Must(template.Must(t.Parse(layout)).Parse(text))
}

// whole is Count of any number.
func whole(n any) string {
	v := reflect.ValueOf(n)
	if v.CanFloat() {
		return Count(v.Float())
	}
	return Count(float64(v.Int()))
}

// Write writes a page: the layout around what t defines, which is given data.
func Write(w io.Writer, t *template.Template, head Head, data any) error {
	err := t.ExecuteTemplate(w, "layout", struct {
		Head
		Data any
	}{head, data})
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}
