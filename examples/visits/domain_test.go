package main

import (
	"bytes"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/examples/visits/generate"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/io/schema"
)

func readDomain(t *testing.T) *schema.File {
	t.Helper()
	f, err := schema.ReadFile("visits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDomainFileIsValid(t *testing.T) {
	f := readDomain(t)
	cells, _, exact := f.Domain.Universe()
	if !exact || cells != 504000 {
		t.Errorf("%d cells, want 504000 as the file says", cells)
	}
	for _, a := range f.Domain.Attributes {
		if !a.Null && !a.Other && !a.HasFallback {
			t.Errorf("column %s does not say what an unusable value becomes", a.Name)
		}
	}
}

// TestNearlyEveryValueIsUsable: a column meets at most 5 % of values that it cannot use, there are some
// in all, and every cell of the domain occurs.
func TestNearlyEveryValueIsUsable(t *testing.T) {
	f := readDomain(t)
	d := f.Domain
	var table bytes.Buffer
	if err := generate.Write(&table, generate.Params{People: 5000, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	encoder := domain.NewEncoder(d)
	rows, unusable, seen := 0, make([]int, d.Len()), make([]map[domain.Code]bool, d.Len())
	err := csvio.Each(&table, "visits.csv", d, f.CSV, func(chunk *domain.Chunk) error {
		rows += chunk.Rows
		for a := range d.Attributes {
			if seen[a] == nil {
				seen[a] = map[domain.Code]bool{}
			}
			for i := range chunk.Rows {
				code, ok := encoder.Null(a)
				if column := &chunk.Columns[a]; !column.Null(i) {
					code, ok = encoder.FromText(a, column.Text(i))
				}
				if !ok {
					unusable[a]++
				}
				seen[a][code] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for a := range d.Attributes {
		some += unusable[a]
		if unusable[a] > rows/20 {
			t.Errorf("column %s: %d of %d values are unusable", d.Attributes[a].Name, unusable[a], rows)
		}
		if len(seen[a]) != d.Attributes[a].Size() {
			t.Errorf("column %s: %d cells occur, want all %d", d.Attributes[a].Name, len(seen[a]), d.Attributes[a].Size())
		}
	}
	if some == 0 {
		t.Error("every value is usable: the table has nothing to map to declared cells")
	}
}
