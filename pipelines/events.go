package pipelines

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// checkEvents refuses what a table of many rows per person cannot be asked for.
func checkEvents(d *domain.Domain, rows int64, f *Faults) {
	if d.Events == nil {
		return
	}
	if rows > 0 {
		f.add("--rows", fmt.Sprintf("got %d, and the domain file declares events: people are written, as many as the release says, each with rows of its own", rows), "leave it out")
	}
}

// ofEvents returns the columns of events that a condition names. It selects people, and each keeps all of its rows.
func (c *Condition) ofEvents() (names []string) {
	if c.d.Events == nil {
		return nil
	}
	for a := range c.d.Attributes {
		if c.cuts[a] != nil && !c.d.OfPerson(a) {
			names = append(names, c.d.Attributes[a].Name)
		}
	}
	return names
}

// checkPeople refuses a condition on events.
func checkPeople(c *Condition, f *Faults) (ok bool) {
	names := c.ofEvents()
	if len(names) > 0 {
		f.add("--where", fmt.Sprintf("names %s, which changes from row to row: people are chosen, with all of their rows", strings.Join(names, ", ")),
			"name columns of the person, or select rows of what is written")
	}
	return len(names) == 0
}
