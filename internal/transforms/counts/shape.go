package counts

import (
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// Params configures Count. Zero fields mean their defaults.
type Params struct {
	// MaxCells is the largest number of cells of all tables together, at 8 bytes each and for each
	// worker; default 1<<23; 1..1<<28. Beyond it, records are kept in place of tables.
	MaxCells int64
	// Cliques are counted in addition to the workload's.
	Cliques []domain.Clique
	// MaxPart is for runners on clusters, whose elements must be small: if records are kept, they travel in elements of at
	// most so many bytes and one unit more, which Solve puts together. Default: in one element of at most 2 GiB, which ends
	// the run in words where prism would hang.
	MaxPart int
	// Divide is for such runners too: tables travel in pieces of at most 150 kB, which are added up in two levels, so that no
	// worker holds the tables of all bundles, and which Solve puts together. Default: one table of each bundle, added up at once.
	Divide bool
}

// Validate reports a fault of p.
func (p Params) Validate() error {
	if p.MaxPart < 0 {
		return fmt.Errorf("counts: parts of %d bytes: want at least 0", p.MaxPart)
	}
	if p.MaxCells < 0 || p.MaxCells > maxCells {
		return fmt.Errorf("counts: at most %d cells: want 1 to %d", p.MaxCells, maxCells)
	}
	return nil
}

// universeCells is the largest universe that is counted as one table: its 2 MB stay in a core's cache,
// and any marginal is a sum of it.
const universeCells = 1 << 18

// Shape is the public description of a Table: the attributes, and the tables that are kept. It is plain data and can
// be part of a serialised configuration.
type Shape struct {
	Sizes   []int           // cells of each attribute
	Cliques []domain.Clique // in lexicographic order, none within another
	Records bool            // coded records are kept in place of tables
	// WeightBits is k if the weights of records are in steps of 2^-k, and counts too; 0 if each record weighs 1.
	WeightBits int `json:",omitempty"`
	// Coarse is the shape after bins are learned; Sizes are then the numbers of codes of records.
	Coarse *Shape `json:",omitempty"`
}

// NewShape returns the shape that answers every marginal of w and every clique of p.
func NewShape(w query.Workload, p Params) Shape {
	limit := p.MaxCells
	if limit == 0 {
		limit = 1 << 23
	}
	s := Shape{Sizes: slices.Clone(w.Sizes)}
	whole := domain.All(len(w.Sizes))
	if cells(s.Sizes, whole) <= min(universeCells, limit) {
		s.Cliques = []domain.Clique{whole}
		return s
	}
	s.Cliques = maximal(s.Sizes, append(w.Cliques(), p.Cliques...))
	sum := int64(0)
	for _, c := range s.Cliques {
		if n := cells(s.Sizes, c); n <= limit-sum {
			sum += n
		} else {
			return Shape{Sizes: s.Sizes, Records: true}
		}
	}
	return s
}

// ShapeOf returns the shape of what Count counts: records, if the domain has bins to be learned.
func ShapeOf(d *domain.Domain, w query.Workload, p Params) Shape {
	s := NewShape(w, p)
	s.WeightBits = d.WeightBits()
	if !d.Learns() {
		return s
	}
	return Shape{Sizes: d.RecordSizes(), Records: true, WeightBits: s.WeightBits, Coarse: &s}
}

func (s *Shape) layout() *contribution.Layout {
	return contribution.NewWeightedLayout(s.Sizes, s.WeightBits)
}

// cells returns the number of cells of c, or MaxInt64 if it exceeds an int64.
func cells(sizes []int, c domain.Clique) int64 {
	n, err := c.Cells(sizes)
	if err != nil {
		return math.MaxInt64
	}
	return n
}

// maximal returns the cliques that no other one contains, in lexicographic order.
func maximal(sizes []int, cliques []domain.Clique) []domain.Clique {
	w := query.Workload{Sizes: sizes}
	for _, c := range cliques {
		w.Marginals = append(w.Marginals, query.Marginal{Clique: c, Weight: 1})
	}
	kept := w.Maximal().Cliques()
	slices.SortFunc(kept, func(a, b domain.Clique) int { return slices.Compare(a, b) })
	return kept
}

// equal reports whether both shapes describe the same tables.
func (s *Shape) equal(o *Shape) bool {
	if (s.Coarse == nil) != (o.Coarse == nil) || s.Coarse != nil && !s.Coarse.equal(o.Coarse) {
		return false
	}
	return s.Records == o.Records && s.WeightBits == o.WeightBits && slices.Equal(s.Sizes, o.Sizes) &&
		slices.EqualFunc(s.Cliques, o.Cliques, domain.Clique.Equal)
}
