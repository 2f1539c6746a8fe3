package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Sequences compares how the rows of a person follow each other, if they have an order. Rows are sorted by the column of the
// order, and of a true person the first ones count that are written at most; rows without a usable value there come first.
type Sequences struct {
	Order       string       `json:"order"`
	Unsorted    [2]int       `json:"people_not_in_order"` // true, synthetic
	Transitions []Transition `json:"transitions"`
	Gaps        Share        `json:"gaps"`  // in 40 bins of alike many true gaps
	Start       Share        `json:"start"` // the first value of the column of the order, in 40 such bins

	// SDMetrics' scores by their names: of the number of rows, and of each number, date and time, of the differences
	// between a row and the next one, and of the mean over all rows of a person.
	Length    Score    `json:"sequence_length_similarity"`
	InterRow  Property `json:"inter_row_msas"`
	Statistic Property `json:"statistic_msas"`
}

// Transition is about a column of rows, in its cells.
type Transition struct {
	Column string `json:"column"`
	Pairs  Share  `json:"pairs"` // the value in the row before and the value
	First  Share  `json:"first"` // the value in the first row
}

// gapBins is the number of bins of gaps.
const gapBins = 40

// inOrder are the rows of each person in the order of a column.
type inOrder struct {
	byPerson
	at       []float64 // of each row: where it lies
	unsorted int       // people whose rows were not in the order
}

func newInOrder(t *Table, a *domain.Attribute, place int) *inOrder {
	o := &inOrder{byPerson: *newByPerson(t), at: make([]float64, t.Rows)}
	lo, _ := limits(a)
	for r := range o.at {
		o.at[r] = float64(t.Columns[place][r])
		if t.values != nil {
			if o.at[r] = t.values[place].number(r); math.IsNaN(o.at[r]) {
				o.at[r] = lo
			}
		}
	}
	o.each(func(rows []int32) {
		compare := func(a, b int32) int { return cmp.Compare(o.at[a], o.at[b]) }
		if !slices.IsSortedFunc(rows, compare) {
			o.unsorted++
			slices.SortStableFunc(rows, compare)
		}
	})
	return o
}

// first returns the first rows of each person, at most so many.
func (o *inOrder) first(most int64) *inOrder {
	out := &inOrder{byPerson: byPerson{t: o.t}, at: o.at}
	o.each(func(rows []int32) {
		out.rows = append(out.rows, rows[:min(int64(len(rows)), most)]...)
		out.ends = append(out.ends, len(out.rows))
	})
	return out
}

// dealt returns the same rows, dealt at random to people who have as many, in order again.
func (o *inOrder) dealt() *inOrder {
	out := &inOrder{byPerson: byPerson{t: o.t, rows: slices.Clone(o.rows), ends: o.ends}, at: o.at}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(out.rows), func(i, j int) { out.rows[i], out.rows[j] = out.rows[j], out.rows[i] })
	out.each(func(rows []int32) {
		slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(o.at[a], o.at[b]) })
	})
	return out
}

// transitions counts pairs of a column's cells in neighbouring rows, and the cells of first rows.
func (o *inOrder) transitions(a, size int) (pairs, first []float64) {
	pairs, first = make([]float64, size*size), make([]float64, size)
	column := o.t.Columns[a]
	o.each(func(rows []int32) {
		for i, r := range rows {
			if i == 0 {
				first[column[r]]++
			} else {
				pairs[int(column[rows[i-1]])*size+int(column[r])]++
			}
		}
	})
	return pairs, first
}

// distances returns gaps between neighbouring rows, and where first rows lie.
func (o *inOrder) distances() (gaps, starts []float64) {
	o.each(func(rows []int32) {
		for i, r := range rows {
			if i == 0 {
				starts = append(starts, o.at[r])
			} else {
				gaps = append(gaps, o.at[r]-o.at[rows[i-1]])
			}
		}
	})
	return gaps, starts
}

// inBins counts values in bins between cuts.
func inBins(values, cuts []float64) []float64 {
	out := make([]float64, len(cuts)+1)
	for _, x := range values {
		out[sort.Search(len(cuts), func(i int) bool { return cuts[i] > x })]++
	}
	return out
}

// evenCuts returns the cuts of bins that hold alike many of the values, or fewer if many are equal.
func evenCuts(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	var cuts []float64
	for i := 1; i < gapBins && len(sorted) > 0; i++ {
		cuts = append(cuts, sorted[len(sorted)*i/gapBins])
	}
	return slices.Compact(cuts)
}

// compareSequences compares the rows of two tables over the domain of a record.
func compareSequences(truth, other *Table, d *domain.Domain, e *domain.Events) *Sequences {
	place := e.Sequence.Place
	all, y := newInOrder(truth, &d.Attributes[place], place), newInOrder(other, &d.Attributes[place], place)
	x := all.first(e.MaxRows)
	random := x.dealt()
	s := &Sequences{Order: e.Sequence.Column, Unsorted: [2]int{all.unsorted, y.unsorted}}
	for a := range d.Attributes {
		name, size := d.Attributes[a].Name, d.Attributes[a].Size()
		if a == place || size > maxPaired || slices.Contains(e.Person, name) {
			continue
		}
		pairs, first := x.transitions(a, size)
		otherPairs, otherFirst := y.transitions(a, size)
		dealtPairs, dealtFirst := random.transitions(a, size)
		s.Transitions = append(s.Transitions, Transition{name, shareOf(pairs, otherPairs, dealtPairs), shareOf(first, otherFirst, dealtFirst)})
	}
	gaps, starts := x.distances()
	otherGaps, otherStarts := y.distances()
	dealtGaps, dealtStarts := random.distances()
	between := func(truth, other, dealt []float64) Share {
		cuts := evenCuts(truth)
		return shareOf(inBins(truth, cuts), inBins(other, cuts), inBins(dealt, cuts))
	}
	s.Gaps, s.Start = between(gaps, otherGaps, dealtGaps), between(starts, otherStarts, dealtStarts)
	s.score(all, y)
	return s
}

// score computes the scores of SDMetrics.
func (s *Sequences) score(x, y *inOrder) {
	length := func(rows []int32, add func(float64)) { add(float64(len(rows))) }
	s.Length = kolmogorov(x.sorted(length), y.sorted(length))
	var differences, means []Item
	for a := 0; x.t.values != nil && a < len(x.t.values) && y.t.values != nil; a++ {
		if !x.t.values[a].kind.continuous() {
			continue
		}
		score := func(metric string, of func(v []float64, rows []int32, add func(float64))) Item {
			numbers := func(o *inOrder) []float64 {
				return o.sorted(func(rows []int32, add func(float64)) { of(o.t.values[a].numbers, rows, add) })
			}
			p, q := numbers(x), numbers(y)
			return Item{Columns: []string{x.t.values[a].attr.Name}, Metric: metric, TV: undefined, Score: kolmogorov(p, q), Reason: noValue(len(p), len(q))}
		}
		differences = append(differences, score("InterRowMSAS", func(v []float64, rows []int32, add func(float64)) {
			for i := 1; i < len(rows); i++ {
				add(v[rows[i]] - v[rows[i-1]])
			}
		}))
		means = append(means, score("StatisticMSAS", func(v []float64, rows []int32, add func(float64)) {
			sum, n := 0.0, 0.0
			for _, r := range rows {
				if !math.IsNaN(v[r]) {
					sum, n = sum+v[r], n+1
				}
			}
			add(sum / n)
		}))
	}
	s.InterRow, s.Statistic = newProperty(differences), newProperty(means)
}

// sorted returns what the rows of all persons add, ascending and rounded, without what is not a number.
func (o *inOrder) sorted(of func(rows []int32, add func(float64))) []float64 {
	var out []float64
	o.each(func(rows []int32) {
		of(rows, func(x float64) {
			if !math.IsNaN(x) {
				out = append(out, rounded(x))
			}
		})
	})
	slices.Sort(out)
	return out
}

// errors returns the rows of the error table; none if s is nil.
func (s *Sequences) errors() []named {
	if s == nil {
		return nil
	}
	var pairs, first Share
	for _, t := range s.Transitions {
		pairs.add(t.Pairs)
		first.add(t.First)
	}
	n := len(s.Transitions)
	return []named{{"in order: a row and the one before, average", pairs.over(n)}, {"in order: first rows, average", first.over(n)},
		{"in order: gaps of " + s.Order, s.Gaps}, {"in order: first " + s.Order, s.Start}}
}

// scores is a line on SDMetrics' scores.
func (s *Sequences) scores() string {
	short := func(x Score) string { return strings.TrimLeft(x.String(), " ") }
	return fmt.Sprintf("SDMetrics of sequences: SequenceLengthSimilarity %s, InterRowMSAS %s, StatisticMSAS %s; 1 is best",
		short(s.Length), short(s.InterRow.Average), short(s.Statistic.Average))
}
