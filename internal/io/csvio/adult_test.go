package csvio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// adultForm is the form of UCI Adult's raw file: no header, a blank after each comma, ? for missing.
const adultForm = `
privacy_id: none
columns:
  - {name: age, type: INT64, min: 17, max: 90, bins: 20, fallback: 40}
  - {name: workclass, type: STRING, values: [Private, State-gov, Self-emp-not-inc], other: true, null: true}
  - {name: income, type: STRING, values: [<=50K, ">50K"], other: true}
csv: {columns: [age, workclass, fnlwgt, education, education-num, marital, occupation, relationship, race, sex, gain, loss, hours, country, income],
  null: ["?"], trim: true}
`

// madeUp is in that form, with its empty last line.
const madeUp = `31, Private, 1, A, 13, B, C, D, E, F, 0, 0, 40, G, <=50K
52, State-gov, 22, A, 9, B, ?, D, E, F, 7, 0, 13, G, >50K
44, ?, 333, A, 9, B, ?, D, E, F, 0, 9, 99, ?, <=50K
17, Never-worked, 4, A, 1, B, C, D, E, F, 0, 0, 1, G, >50K

`

// adultCounts codes a table of that form and counts the cells of workclass and income.
func adultCounts(t *testing.T, each func(f *schema.File, yield func(*domain.Chunk) error) error) string {
	t.Helper()
	f := parse(t, adultForm)
	counts := make([][]int, f.Domain.Len())
	for i, n := range f.Domain.Sizes() {
		counts[i] = make([]int, n)
	}
	err := each(f, func(c *domain.Chunk) error {
		codes := make([]domain.Code, c.Rows*f.Domain.Len())
		row, a, ok := domain.NewEncoder(f.Domain).EncodeStrict(c, codes)
		must.Hold(t, ok, "line %d, %s: not readable", c.Lines[row], f.Domain.Attributes[a].Name)
		for i, code := range codes {
			counts[i%len(counts)][code]++
		}
		return nil
	})
	must.Pass(t, err)
	return fmt.Sprint(counts[1:])
}

func TestAdultForm(t *testing.T) {
	got := adultCounts(t, func(f *schema.File, yield func(*domain.Chunk) error) error {
		return Each(strings.NewReader(madeUp), "made up", f.Domain, f.CSV, yield)
	})
	want := "[[1 1 0 1 1] [2 2 0]]"
	must.Hold(t, got == want, "counts %s, want %s", got, want)
}

// TestAdult reads the file itself: 32,561 records, 1,836 of them without a workclass, 7,841 above 50K.
func TestAdult(t *testing.T) {
	dir := os.Getenv("DAPPLE_DATA")
	if dir == "" {
		t.Skip("missing: the table adult; set DAPPLE_DATA to the directory that holds adult/adult.data")
	}
	got := adultCounts(t, func(f *schema.File, yield func(*domain.Chunk) error) error {
		return EachFile(filepath.Join(dir, "adult", "adult.data"), f.Domain, f.CSV, yield)
	})
	want := "[[22696 1298 2541 4190 1836] [24720 7841 0]]"
	must.Hold(t, got == want, "counts %s, want %s", got, want)
}
