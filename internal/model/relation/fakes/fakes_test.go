package fakes

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A fake is the same whenever it is made, whatever was made before, and fakes of a row fit together.
func TestMake(t *testing.T) {
	forms := map[string]string{"email": `^[a-z'.-]+@example\.(com|net|org)$`, "phone": `^[2-9]\d\d-555-01\d\d$`, "zip": `^\d{5}$`, "street": `^\d+ .+`, "name": `^\S+ \S+`}
	for _, name := range Names() {
		m := New(name)
		seen := map[string]bool{}
		for row := range uint64(200) {
			text := m.Make(row, 7)
			again := New(name).Make(row, 7)
			must.Need(t, again == text && text != "", "%s: %q and then %q", name, text, again)
			form := forms[name]
			must.Hold(t, form == "" || regexp.MustCompile(form).MatchString(text), "%s: %q", name, text)
			seen[text] = true
		}
		must.Hold(t, len(seen) >= 50, "%s: %d different ones of 200", name, len(seen))
	}
	first, last, mail := New("first_name").Make(3, 4), New("last_name").Make(3, 4), New("email").Make(3, 4)
	must.Hold(t, New("name").Make(3, 4) == first+" "+last && strings.HasPrefix(mail, strings.ToLower(first+"."+last)), "%s %s has the mail %s", first, last, mail)
	must.Hold(t, New("nobody") == nil, "a kind that is none")
}
