package mechanism

import (
	"errors"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The mark is made once, after the first charge and before the first draw; if it fails, nothing is drawn.
func TestBeforeNoise(t *testing.T) {
	sizes := []int{2}
	ledger, calls, refused := zcdp(t, dp.AddRemove), 0, errors.New("refused")
	recorder := &Recorder{}
	c, err := New(table{sizes, []int64{3, 4}}, Params{Sizes: sizes, Ledger: ledger, Root: root(t), Recorder: recorder, BeforeNoise: func() error {
		calls++
		must.Hold(t, ledger.Spent().Sign() != 0, "the mark came before the charge")
		if calls == 1 {
			return refused
		}
		return nil
	}})
	must.Do(t, err)
	for i, stage := range []string{"a", "b", "c"} {
		_, err := c.Total(stage, dp.ShareOf(1, 10))
		must.Hold(t, errors.Is(err, refused) == (i == 0) && (i <= 0 || err == nil), "stage %s: %v", stage, err)
	}
	must.Hold(t, calls == 2 && len(recorder.Calls) == 2, "%d marks and %d draws, want 2 of each", calls, len(recorder.Calls))
}
