package domain_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// ordered returns a domain of columns a <= b <= c, and of one beside them.
func ordered(column func(name string) domain.Attribute) *domain.Domain {
	d := &domain.Domain{Orders: []domain.Order{{Columns: []string{"a", "b", "c"}}}}
	for _, name := range []string{"b", "other", "a", "c"} {
		d.Attributes = append(d.Attributes, column(name))
	}
	return d
}

func days(name string) domain.Attribute {
	return domain.Attribute{Name: name, Type: domain.Date, Cuts: []int64{18_000, 18_400}, Resolution: 1, Learned: 20, Null: true}
}

// Records in order come back as they were, with any of their columns NULL. Others are raised to the largest column before.
func TestGaps(t *testing.T) {
	kinds := map[string]func(string) domain.Attribute{
		"dates": days,
		"hours": func(name string) domain.Attribute {
			return domain.Attribute{Name: name, Type: domain.DateTime, Cuts: []int64{0, 400 * 3_600_000_000}, Resolution: 3_600_000_000, Learned: 20, Null: true}
		},
		"decimals": func(name string) domain.Attribute {
			return domain.Attribute{Name: name, Type: domain.Numeric, Scale: 2, Cuts: []int64{-500, 1500}, Resolution: 5, Learned: 20, Null: true}
		},
		"cells": func(name string) domain.Attribute {
			return domain.Attribute{Name: name, Type: domain.Int64, Cuts: domain.EqualCuts(0, 9, 10), Resolution: 1, Null: true}
		},
		"from later on": func(name string) domain.Attribute {
			x := days(name)
			if name != "a" {
				x.Cuts = []int64{18_100, 18_500}
			}
			return x
		},
	}
	for kind, column := range kinds {
		t.Run(kind, func(t *testing.T) {
			records := ordered(column)
			d := records.WithGaps(nil)
			if err := d.Validate(); err != nil || len(d.Gaps) != 2 || fmt.Sprint(d.GapNames("c")) != "[b gap_c]" {
				t.Fatalf("%d gaps, %v, %v", len(d.Gaps), d.GapNames("c"), err)
			}
			if back := d.Recorded(); back.Fingerprint() != records.Fingerprint() || d.Written().Fingerprint() != records.Fingerprint() {
				t.Fatal("the records have other columns than before")
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 2000 {
				codes := []domain.Code{}
				for _, n := range records.RecordSizes() {
					codes = append(codes, domain.Code(rng.IntN(n)))
					if rng.IntN(3) == 0 {
						codes[len(codes)-1] = domain.Code(n - 1)
					}
				}
				want, got := decoded(records, codes), (*domain.Chunk)(nil)
				d.ToGaps(codes, len(codes))
				for a, n := range d.RecordSizes() {
					must.Need(t, int(codes[a]) < n, "code %d of %q, which has %d", codes[a], d.Attributes[a].Name, n)
				}
				got = decoded(d, codes)
				last := int64(-1 << 62)
				for _, a := range []int{2, 0, 3} {
					must.Need(t, got.Columns[a].Null(0) == want.Columns[a].Null(0), "NULL: %v in place of %v", got.Columns[a].Null(0), want.Columns[a].Null(0))
					if got.Columns[a].Null(0) {
						continue
					}
					last = max(last, want.Columns[a].Ints[0])
					must.Need(t, got.Columns[a].Ints[0] == last, "column %q has %d; want %d", records.Attributes[a].Name, got.Columns[a].Ints[0], last)
				}
			}
		})
	}
}

func decoded(d *domain.Domain, codes []domain.Code) *domain.Chunk {
	c := new(domain.Chunk)
	domain.NewDecoder(d.Modelled()).Decode(c, codes, func(int, int) uint64 { return 0 })
	return c
}

// Columns without a difference in records remain as they are.
func TestNoGaps(t *testing.T) {
	changed := func(name string, change func(x *domain.Attribute)) *domain.Domain {
		d := ordered(days)
		change(&d.Attributes[d.Index(name)])
		return d
	}
	impossible := ordered(days)
	impossible.StructuralZeros = domain.Exclusions{{Clique: domain.Clique{0, 1}}}
	twice := ordered(days)
	twice.Orders = append(twice.Orders, domain.Order{Columns: []string{"a", "other"}})
	for name, d := range map[string]*domain.Domain{
		"bins":         changed("b", func(x *domain.Attribute) { x.Learned, x.Cuts = 0, []int64{18_000, 18_200, 18_400} }),
		"exact values": changed("b", func(x *domain.Attribute) { x.Exact = []int64{99_999} }),
		"float64": changed("c", func(x *domain.Attribute) {
			*x = domain.Attribute{Name: "c", Type: domain.Float64, FloatCuts: []float64{0, 9}, FloatResolution: 1, Learned: 3}
		}),
		"resolution":    changed("a", func(x *domain.Attribute) { x.Resolution = 7 }),
		"a smaller max": changed("c", func(x *domain.Attribute) { x.Cuts = []int64{18_000, 18_300} }),
		"a name":        changed("other", func(x *domain.Attribute) { x.Name = "gap_b" }),
		"too far":       changed("a", func(x *domain.Attribute) { x.Cuts = []int64{-1 << 50, -1<<50 + 400} }),
		"impossible":    impossible,
		"two orders":    twice,
	} {
		got := d.WithGaps(nil)
		must.Hold(t, len(got.Gaps) <= 0 && got.Fingerprint() == d.Fingerprint(), "%s: %d gaps", name, len(got.Gaps))
	}
	must.Hold(t, len(ordered(days).WithGaps([]string{"c"}).Gaps) <= 0, "a column that others name has a gap in its place")
	must.Hold(t, len(ordered(days).WithGaps([]string{"a"}).Gaps) == 2, "the first column of an order is modelled itself, and others may name it")
}
