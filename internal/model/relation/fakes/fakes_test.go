package fakes

import (
	"regexp"
	"strings"
	"testing"
)

// A fake is the same whenever it is made, whatever was made before, and fakes of a row fit together.
func TestMake(t *testing.T) {
	forms := map[string]string{"email": `^[a-z'.-]+@example\.(com|net|org)$`, "phone": `^[2-9]\d\d-555-01\d\d$`, "zip": `^\d{5}$`, "street": `^\d+ .+`, "name": `^\S+ \S+`}
	for _, name := range Names() {
		m := New(name)
		seen := map[string]bool{}
		for row := range uint64(200) {
			text := m.Make(row, 7)
			if again := New(name).Make(row, 7); again != text || text == "" {
				t.Fatalf("%s: %q and then %q", name, text, again)
			}
			if form := forms[name]; form != "" && !regexp.MustCompile(form).MatchString(text) {
				t.Errorf("%s: %q", name, text)
			}
			seen[text] = true
		}
		if len(seen) < 50 {
			t.Errorf("%s: %d different ones of 200", name, len(seen))
		}
	}
	first, last, mail := New("first_name").Make(3, 4), New("last_name").Make(3, 4), New("email").Make(3, 4)
	if New("name").Make(3, 4) != first+" "+last || !strings.HasPrefix(mail, strings.ToLower(first+"."+last)) {
		t.Errorf("%s %s has the mail %s", first, last, mail)
	}
	if New("nobody") != nil {
		t.Error("a kind that is none")
	}
}
