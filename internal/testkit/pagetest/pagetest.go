// Package pagetest checks pages of package page in tests.
package pagetest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

// Hostile are names and labels that a page has to survive.
var Hostile = []string{
	"", " ", "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "' onmouseover='alert(1)", "</style><b>", "]]>", "<!--", "{{.}}",
	"&amp;&lt;", "שם משפחה", "\u202ereversed\u202c", "العمر", "a\x00b", "tab\tnew\nline", "\\\"\u2028", strings.Repeat("long ", 2000), strings.Repeat("W", 5000), "🙂👩\u200d👩\u200d👧",
}

// allowed are the elements that pages are made of.
const allowed = " html head meta title style body a p header nav ul li main section h1 h2 h3 dl div dt dd small strong sup table caption " +
	"thead tbody tr th td svg path figure figcaption details summary bdi abbr span pre code footer "

// padding is the only style that an element has of its own.
var padding = regexp.MustCompile(`^padding-right:[\d.]+%$`)

// WellFormed fails t unless the page is well-formed, consists of known elements, and has no attribute that runs or fetches
// anything. It returns the page's text.
func WellFormed(t testing.TB, page []byte) string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Entity = xml.HTMLEntity
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch x := token.(type) {
		case xml.CharData:
			text.Write(x)
		case xml.Comment:
			t.Fatal("the page holds a comment")
		case xml.StartElement:
			if !strings.Contains(allowed, " "+x.Name.Local+" ") {
				t.Fatalf("the page holds an element %q", x.Name.Local)
			}
			for _, a := range x.Attr {
				if n := a.Name.Local; strings.HasPrefix(n, "on") || n == "src" || n == "style" && !padding.MatchString(a.Value) ||
					n == "href" && !strings.HasPrefix(a.Value, "#") && !strings.HasPrefix(a.Value, "https://github.com/dapple-dp/dapple/") {
					t.Fatalf("the page holds an attribute %s=%q", n, a.Value)
				}
			}
		}
	}
}
