package records

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestHistoriesIgnoreBundles: what a row remembers of the one before is found once all rows of a person are together, whichever
// lists they came in, and nothing is remembered of another person.
func TestHistoriesIgnoreBundles(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Int64, Cuts: domain.EqualCuts(0, 19, 20), Resolution: 1, HasFallback: true},
		{Name: "kind", Type: domain.Int64, Cuts: domain.EqualCuts(0, 4, 5), Resolution: 1, HasFallback: true},
	}}
	people, err := d.WithEvents(nil, nil, domain.EqualRatioCuts(6), 6)
	if err == nil {
		people, err = people.WithSequence(domain.Sequence{Column: "day"})
	}
	must.Do(t, err)
	key, layout := make([]byte, contribution.RunKeySize), contribution.NewRecordLayout(people)
	shared := func(lists []*Units) []byte {
		return Shared(lists, contribution.NewRanker(key), contribution.NewSummary(people)).Rows
	}
	rng := rand.New(rand.NewPCG(8, 9))
	for range 50 {
		type record struct{ id, row []byte }
		var all []record
		for p := range 1 + rng.IntN(8) {
			for range 1 + rng.IntN(9) {
				row := layout.Pack(nil, []domain.Code{domain.Code(rng.IntN(20)), domain.Code(rng.IntN(5))})
				all = append(all, record{fmt.Append(nil, "p", p), row})
			}
		}
		spread := func(n int) (lists []*Units) {
			sets := make([]*Set, n)
			for i := range sets {
				sets[i] = NewSet(layout.Width(), len(all))
			}
			for _, i := range rng.Perm(len(all)) {
				sets[rng.IntN(n)].Add(all[i].id, all[i].row)
			}
			for _, s := range sets {
				s.Flush(1, func(_ int, u *Units) { lists = append(lists, u) })
			}
			return lists
		}
		want := shared(spread(1))
		must.Need(t, len(want) != 0, "no rows")
		for n := 2; n < 5; n++ {
			must.Need(t, bytes.Equal(shared(spread(n)), want), "histories of rows in %d lists differ from those in one", n)
		}
	}
}
