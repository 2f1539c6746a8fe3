package widetable_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/widetable"

	"github.com/dapple-dp/dapple/dp/domain"
)

func written(t *testing.T, p widetable.Params) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, widetable.New(p).WriteCSV(&b))
	return b.Bytes()
}

// Equal parameters give equal bytes for ever: figures of different days are of one table.
func TestPinned(t *testing.T) {
	const want = "a3c57a746b00b945608242b4f95458688221c16bb9b27964d19d78e3279f7a07"
	sum := sha256.Sum256(written(t, widetable.Params{Columns: 40, People: 1000, Seed: 1}))
	must.Equal(t, hex.EncodeToString(sum[:]), want, "the table has SHA-256")
}

func TestFewerPeopleAreTheBeginning(t *testing.T) {
	few, many := written(t, widetable.Params{People: 100, Seed: 3, ID: "who"}), written(t, widetable.Params{People: 300, Seed: 3, ID: "who"})
	must.Hold(t, bytes.HasPrefix(many, few), "the first 100 rows depend on how many follow")
	other := written(t, widetable.Params{People: 100, Seed: 4, ID: "who"})
	must.Hold(t, !bytes.Equal(few, other), "the seed changes nothing")
}

// Every cell is one that the domain file declares, and every kind of column occurs.
func TestDomainFits(t *testing.T) {
	p := widetable.Params{Columns: 60, People: 2000, Seed: 1}
	var text bytes.Buffer
	must.Do(t, widetable.New(p).WriteDomain(&text))
	path := filepath.Join(t.TempDir(), "domain.yaml")
	must.Do(t, os.WriteFile(path, text.Bytes(), 0o644))
	file := must.Value(schema.ReadFile(path))(t)
	sizes := file.Domain.Sizes()
	must.Hold(t, slices.Min(sizes) == 1 && slices.Max(sizes) >= 30 && slices.Max(sizes) <= 61,
		"the sizes are %v, want constants, and columns of 30 to 61 cells", sizes)
	encoder, columns, done := domain.NewEncoder(file.Domain), widetable.New(p).Codes(), 0
	must.Do(t, csvio.Each(bytes.NewReader(written(t, p)), "table.csv", file.Domain, file.CSV, func(c *domain.Chunk) error {
		codes := make([]domain.Code, c.Rows*len(sizes))
		row, attr, ok := encoder.EncodeStrict(c, codes)
		must.Hold(t, ok, "row %d, column %q: the domain does not hold the cell", row, file.Domain.Attributes[attr].Name)
		for i, got := range codes {
			if a := i % len(sizes); got != columns[a][done+i/len(sizes)] {
				t.Fatalf("row %d, column %q: Codes has another code than the file", done+i/len(sizes), file.Domain.Attributes[a].Name)
			}
		}
		done += c.Rows
		return nil
	}))
}

// Column 14 follows column 13 in all but a few cells: given its neighbour, one value has nearly all.
func TestNearlyDetermined(t *testing.T) {
	r := csv.NewReader(bytes.NewReader(written(t, widetable.Params{Columns: 20, People: 5000, Seed: 1})))
	must.Value(r.Read())(t)
	seen, total := map[string]map[string]int{}, 0
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		must.Do(t, err)
		if seen[row[13]] == nil {
			seen[row[13]] = map[string]int{}
		}
		seen[row[13]][row[14]]++
		total++
	}
	top := 0
	for _, values := range seen {
		most := 0
		for _, n := range values {
			most = max(most, n)
		}
		top += most
	}
	// 1016 of 1024 cells follow: 40 of 5000 do not on average, and 100 or more with probability below 1e-15.
	must.Hold(t, top >= total-100, "%d of %d cells are what their neighbour says, want nearly all", top, total)
}
