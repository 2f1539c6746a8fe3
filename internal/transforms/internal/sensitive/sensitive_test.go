package sensitive

import (
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/internal/pipeline"
)

func nodes(col beam.PCollection) []*graph.Node { return []*graph.Node{pipeline.Node(col)} }

// Whatever was made of the same records has one payer; other records may have another.
func TestRecordsHaveOnePayer(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	raw := beam.Impulse(s)
	one, other := new(int), new(int)
	records, again := Hide(nodes(raw), beam.Impulse(s)), Hide(nodes(raw), beam.Impulse(s))
	units, others := Derive(records, beam.Impulse(s)), Derive(records, beam.Impulse(s))
	must.Hold(t, Spend(units, one) && Spend(again, one) && !Spend(others, other) && !Spend(records, other) && Spend(units, one), "records have two payers, or none")
	strangers := Hide(nodes(beam.Impulse(s)), beam.Impulse(s))
	must.Hold(t, !Spend(Join(units, strangers, beam.Impulse(s)), other), "records that were joined with others lost their payer")
	must.Hold(t, Spend(strangers, other), "records have paid for others")
}

func TestRevealWhatWasHidden(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	col := beam.Impulse(s)
	must.Hold(t, Reveal(Hide(nodes(col), col)) == col, "another collection was revealed than was hidden")
	defer func() {
		must.Hold(t, recover() != nil, "the zero Collection was revealed")
	}()
	Reveal(Collection{})
}
