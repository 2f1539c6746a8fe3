package sensitive

import (
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func TestRevealWhatWasHidden(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	col := beam.Impulse(s)
	if got := Reveal(Hide(col)); got != col {
		t.Error("another collection was revealed than was hidden")
	}
	defer func() {
		if recover() == nil {
			t.Error("the zero Collection was revealed")
		}
	}()
	Reveal(Collection{})
}
