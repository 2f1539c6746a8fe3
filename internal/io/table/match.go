package table

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Match finds the columns of d among the names of a schema, which are no record's: the privacy ID first, then each
// attribute. fields has the place of each, or −1; faults says what is wrong with it, and "" if it is found or not needed.
func Match(names []string, d *domain.Domain) (fields []int, faults []string) {
	need := append([]string{d.PrivacyID}, d.Names()...)
	at, twice, needed := map[string]int{}, map[string]bool{}, map[string]bool{}
	for i, name := range names {
		_, known := at[name]
		twice[name] = twice[name] || known
		at[name] = i
	}
	for _, name := range need {
		needed[name] = true
	}
	var rest []string
	for _, name := range names {
		if !needed[name] {
			rest = append(rest, name)
		}
	}
	fields, faults = make([]int, len(need)), make([]string, len(need))
	for i, name := range need {
		field, known := at[name]
		switch {
		case i == 0 && name == "":
			field = -1
		case !known:
			field = -1
			if faults[i] = fmt.Sprintf("column %q: the file has no such column", name); i < 100 { // the rest is counted, not shown
				if near := errtext.Nearest(name, rest); near != "" {
					faults[i] += fmt.Sprintf("; did you mean %q?", near)
				}
			}
		case twice[name]: // said once, though a domain that was read off the file names it twice
			twice[name] = false
			faults[i] = fmt.Sprintf("column %q: the file has several columns of this name; rename all but one", name)
		}
		fields[i] = field
	}
	return fields, faults
}
