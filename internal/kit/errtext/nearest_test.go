package errtext

import (
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestNearest(t *testing.T) {
	columns := []string{"person_id", "sex", "Date of Birth", "income", "q1", "q2", "", "größe"}
	for name, want := range map[string]string{
		"PersonID": "person_id", "person": "person_id", "Sex": "sex", "set": "sex", "sx": "", "date_of_birth": "Date of Birth", "dateofbrith": "Date of Birth",
		"incmoe": "income", "incom": "income", "outcome": "", "q3": "", "Q2": "q2", "grösse": "größe", "": "", "--": "", "x": "",
	} {
		must.Equal(t, Nearest(name, columns), want, "%q", name)
	}
	must.Hold(t, !SameName("", "-") && SameName("a b", "A_B"), "SameName")
}
