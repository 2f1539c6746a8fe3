package relation

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
)

// FuzzCondition reads arbitrary conditions: each is understood or refused.
func FuzzCondition(f *testing.F) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"Female", "Male"}, Other: true, OtherValue: "other"},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 20, 40, 100}, Resolution: 1, Null: true},
		{Name: "day", Type: domain.Date, Cuts: []int64{18262, 18293, 18322}, Resolution: 1, HasFallback: true},
	}}
	for _, text := range []string{"age>=40 AND sex=Female", "sex = 'A and E'", `day < "2020-02-01"`, "age IS NOT NULL", "age>=", "and and", "''='", "age!=1e400", "NOT (age IN (1, 2) OR day BETWEEN 2020-01-01 AND 2020-02-01)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dptest.WithinMemory(t, 1<<20+1024*uint64(len(text)), func() {
			if c, err := ParseCondition(text, d); (c == nil) == (err == nil) {
				t.Error("neither a condition nor a reason")
			}
		})
	})
}
