package schema

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const ofVisits = `privacy_id: id
columns:
  - {name: sex, type: STRING, values: [F, M], other: true}
  - {name: day, type: DATE, min: 2024-01-01, max: 2024-12-31, fallback: 2024-01-01}
  - {name: kind, type: STRING, values: [a, b], other: true}
  - {name: note, type: STRING, values: [x, y], null: true}
`

func TestOrder(t *testing.T) {
	for _, test := range []struct{ events, want string }{
		{"events: {person: [sex], rows: {max: 9}, order: day}", "sex gap_day kind note rows_per_person first_day before_kind before_note"},
		{"events: {person: [sex], rows: {max: 9, min: 0}, usual: [kind], order: day, previous: [kind], strict: true}", "sex gap_day kind note rows_per_person usual_kind first_day before_kind"},
	} {
		f := must.Value(Parse("visits.yaml", []byte(ofVisits+test.events+"\n")))(t)
		must.Equal(t, strings.Join(f.Domain.Names(), " "), test.want, "columns")
		must.Equal(t, f.Domain.Events.Sequence.Strict, strings.Contains(test.events, "strict"), "strict")
	}
}

// All faults of an order stand in one message, each at its line and place.
func TestOrderFaults(t *testing.T) {
	for _, test := range []struct {
		events string
		want   []string
	}{
		{"events: {person: [sex], rows: {max: 9}, order: sex, previous: [day, what]}", []string{
			`events: order: column "sex" is a person column, which is the same in all rows`,
			`events: previous: no column is called "what"`}},
		{"events: {person: [sex], rows: {max: 9}, order: day, previous: [sex]}", []string{`events: previous: column "sex" is a person column`}},
		{"events: {person: [sex], rows: {max: 9}, order: note, previous: [note]}", []string{
			`events: order: column "note" is of type STRING`, `events: previous: column "note" is the one that orders the rows`}},
		{"events: {person: [sex], rows: {max: 900}, order: day, strict: true}", []string{"events: order: strict: somebody with 900 rows needs as many different values"}},
		{"events: {person: [sex], rows: {max: 9}, previous: [kind], strict: true}", []string{"events: previous: there is no order", "events: strict: there is no order"}},
		{"events: {person: [sex], rows: {max: 9}, order: day, strict: perhaps}", []string{"events: strict: got"}},
		{"events: {person: [what], rows: {max: 9}, order: when}", []string{`events: person: no column is called "what"`, `events: order: no column is called "when"`}},
	} {
		_, err := Parse("visits.yaml", []byte(ofVisits+test.events+"\n"))
		for _, want := range test.want {
			must.Hold(t, err != nil && strings.Contains(err.Error(), want) && strings.Contains(err.Error(), "visits.yaml:7:"),
				"%s:\ngot %v\nwant %s", test.events, err, want)
		}
	}
}
