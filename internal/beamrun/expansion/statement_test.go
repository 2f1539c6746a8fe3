package expansion

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// pupil is a record of TestStatementIsWhole.
type pupil struct {
	Sex string `beam:"sex" dapple:"sex"`
}

func init() { beam.RegisterType(reflect.TypeFor[pupil]()) }

// The output statement holds what _privacy.json of a run of the command does.
func TestStatementIsWhole(t *testing.T) {
	pipeline, s := beam.NewPipelineWithRoot()
	var list []pupil
	for i := range 300 {
		list = append(list, pupil{[]string{"F", "M"}[i%2]})
	}
	params := synth.Params{
		Domain:  &domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true}}},
		Epsilon: 1, Delta: 1e-9, Rows: 7,
	}
	_, release := synth.Synthesize(s, beam.CreateList(s, list), params)
	got := transformtest.Capture[Statement](s, state(s, release, params, publish.Description{Derived: []string{"sex (values)"}}))
	if err := transformtest.RunOn("direct", pipeline); err != nil {
		t.Fatal(err)
	}
	row, p := got.Elements()[0], report.Privacy{}
	if err := json.Unmarshal([]byte(row.Privacy), &p); err != nil {
		t.Fatal(err)
	}
	for what, there := range map[string]bool{
		"the format": p.Format == 1, "what is not covered": len(p.NotCover) > 4, "the dictionary": len(p.Dictionary) == 1,
		"facts read off the data": strings.Contains(strings.Join(p.NotPrivate, " "), "sex (values)"), "the rows asked for": p.Rows == 7 && p.RowsFrom == "request",
		"the ledger": len(p.Ledger) > 0 && p.Guarantee() == row.Guarantee, "the measured error": p.Error.Measured != nil,
	} {
		if !there {
			t.Errorf("%s: missing in %s", what, row.Privacy)
		}
	}
}
