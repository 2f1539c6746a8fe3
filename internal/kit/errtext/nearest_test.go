package errtext

import "testing"

func TestNearest(t *testing.T) {
	columns := []string{"person_id", "sex", "Date of Birth", "income", "q1", "q2", "", "größe"}
	for name, want := range map[string]string{
		"PersonID": "person_id", "person": "person_id", "Sex": "sex", "set": "sex", "sx": "", "date_of_birth": "Date of Birth", "dateofbrith": "Date of Birth",
		"incmoe": "income", "incom": "income", "outcome": "", "q3": "", "Q2": "q2", "grösse": "größe", "": "", "--": "", "x": "",
	} {
		if got := Nearest(name, columns); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if SameName("", "-") || !SameName("a b", "A_B") {
		t.Error("SameName")
	}
}
