package sensitive

import (
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Whatever was made of the same records pays once; other records pay for themselves.
func TestRecordsPayOnce(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	raw := beam.Impulse(s)
	records, again := Hide(raw, beam.Impulse(s)), Hide(raw, beam.Impulse(s))
	units, others := Derive(records, beam.Impulse(s)), Derive(records, beam.Impulse(s))
	if !Spend(units) || Spend(again) || Spend(others) || Spend(records) || Spend(units) {
		t.Error("records were released from twice, or not at all")
	}
	if !Spend(Hide(beam.Impulse(s), beam.Impulse(s))) {
		t.Error("records have paid for others")
	}
}

func TestRevealWhatWasHidden(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	col := beam.Impulse(s)
	if got := Reveal(Hide(col, col)); got != col {
		t.Error("another collection was revealed than was hidden")
	}
	defer func() {
		if recover() == nil {
			t.Error("the zero Collection was revealed")
		}
	}()
	Reveal(Collection{})
}
