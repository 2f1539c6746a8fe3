package csvio

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestCellsByTheRule: of 20,000 cells with blanks of all kinds at their ends and of declared texts of NULL, each is trimmed and NULL as
// strings.TrimSpace and the list say, and so is each ID by its own list.
func TestCellsByTheRule(t *testing.T) {
	parts := []string{"a", "N", "NA", " ", "\u00a0", "\u2003", "\t", "\\N", "-", "é", "\x00", "\x7f", "x y", "\u0085"}
	rng := rand.New(rand.NewPCG(5, 5))
	cell := func() (s string) {
		for range rng.IntN(4) {
			s += parts[rng.IntN(len(parts))]
		}
		return s
	}
	for range 20 {
		opts := schema.CSV{Trim: rng.IntN(2) == 0, TrimID: rng.IntN(2) == 0}
		for range rng.IntN(4) {
			opts.Null, opts.NullID = append(opts.Null, cell()), append(opts.NullID, cell())
		}
		want := func(s string, trim bool, marks []string) string {
			if trim {
				s = strings.TrimSpace(s)
			}
			if s == "" || s == nullText || slices.Contains(marks, s) {
				return "(NULL)"
			}
			return s
		}
		var wants []string
		text := "id,x\n"
		for range 1000 {
			id, x := cell(), cell()
			text += id + "," + x + "\n"
			wants = append(wants, want(id, opts.TrimID, opts.NullID)+"|"+want(x, opts.Trim, opts.Null))
		}
		d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x"}}}
		row := 0
		err := Each(strings.NewReader(text), "t.csv", d, opts, func(c *domain.Chunk) error {
			for i := range c.Rows {
				got := [2]string{"(NULL)", "(NULL)"}
				for k, col := range []*domain.Column{&c.ID, &c.Columns[0]} {
					if !col.Null(i) {
						got[k] = string(col.Text(i))
					}
				}
				must.Equal(t, got[0]+"|"+got[1], wants[row], "%+v", opts)
				row++
			}
			return nil
		})
		must.Hold(t, err == nil && row == len(wants), "%d rows of %d: %v", row, len(wants), err)
	}
}
