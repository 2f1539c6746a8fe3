package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// known says what the released figures know worst.
type known struct {
	Marginals []worst // by the total variation that their standard errors predict
	Groups    []group // values of one column that hold at least rareShare, by their interval beside their share
	Pairs     []group // the same for combinations of two columns that hold at least commonShare
	Pooled    []string
	PooledAll int

	half    float64 // largest half interval of a one-way share
	middle  float64 // the median of them
	groupOf float64 // least share of pairs' cells from which on most are known to a tenth; 0: none
}

// worst is a marginal that is known badly.
type worst struct {
	Names []string
	TV    float64
	Text  string
}

// group is a set of people: the people of one cell.
type group struct {
	Label           string
	Share, Interval string
	Relative        string
	relative        float64
}

const (
	worstListed = 10
	rareShare   = .001
	commonShare = .01
	// wellKnown is the half interval, as a part of the share, that counts as known to a tenth.
	wellKnown = .1
	// halfNormal is the mean absolute value of a normal variable of standard deviation 1, halved: a cell's part in
	// the total variation.
	halfNormal = .399
)

// known computes what is known worst. oneWay has the marginal of each attribute, or nil.
func (p Page) known(oneWay []*Marginal) (k known) {
	for i := range p.Marginals {
		m := &p.Marginals[i]
		if tv := m.predictedTV(); !math.IsNaN(tv) && len(m.Clique) > 1 {
			k.Marginals = append(k.Marginals, worst{Names: m.Clique.Names(p.Domain), TV: tv, Text: fixed(tv, 3)})
		}
	}
	slices.SortStableFunc(k.Marginals, func(x, y worst) int { return cmp.Compare(y.TV, x.TV) })
	k.Marginals = k.Marginals[:min(len(k.Marginals), worstListed)]
	k.Groups = p.groups(1, rareShare)
	k.Pairs = p.groups(2, commonShare)
	k.half, k.middle = halves(oneWay)
	k.groupOf = p.knownFrom()
	k.Pooled = p.pooled()
	k.PooledAll = len(k.Pooled)
	k.Pooled = k.Pooled[:min(len(k.Pooled), worstListed)]
	return k
}

// predictedTV is the total variation that the standard errors predict; NaN if one is not known.
func (m *Marginal) predictedTV() float64 {
	sum := math.NaN()
	if m.FittedError != nil {
		sum = 0
	}
	for _, e := range m.FittedError {
		sum += halfNormal * e
	}
	return min(1, sum)
}

// cell is a cell with people, whose share has half an interval.
type cell struct {
	clique      domain.Clique
	code        int
	share, half float64
}

// cells lists the cells of all marginals of width columns.
func (p Page) cells(width int) (list []cell) {
	for i := range p.Marginals {
		m := &p.Marginals[i]
		if len(m.Clique) != width {
			continue
		}
		for c, share := range m.Fitted {
			if e := m.standardError(c); share > 0 && e > 0 {
				list = append(list, cell{m.Clique, c, share, interval * e})
			}
		}
	}
	return list
}

// groups lists the cells of width columns of at least the least share, those known worst first.
func (p Page) groups(width int, least float64) (list []group) {
	all := slices.DeleteFunc(p.cells(width), func(x cell) bool { return x.share < least })
	slices.SortStableFunc(all, func(x, y cell) int { return cmp.Compare(y.half/y.share, x.half/x.share) })
	for _, x := range all[:min(len(all), worstListed)] {
		part := x.half / x.share
		relative := "±\u00a0" + page.Percent(part, 0)
		if part > 1 {
			relative = "more than all of it"
		}
		list = append(list, group{
			Label: p.cellLabel(x.clique, x.code), Share: page.Figures(x.share, 2), Interval: "±\u00a0" + page.Figures(x.half, 2), Relative: relative, relative: part,
		})
	}
	return list
}

// cellLabel writes a cell as "sex = Female, age = [20, 35)".
func (p Page) cellLabel(c domain.Clique, cell int) string {
	sizes := p.Domain.Sizes()
	strides := c.Strides(sizes)
	parts := make([]string, len(c))
	for i, a := range c {
		attr := &p.Domain.Attributes[a]
		parts[i] = page.Short(attr.Name, 40) + " = " + page.Short(attr.Label(domain.Code(cell/strides[i]%sizes[a])), 40)
	}
	return strings.Join(parts, ", ")
}

// halves returns the largest half interval of the shares of single columns, and the median.
func halves(oneWay []*Marginal) (largest, middle float64) {
	var all []float64
	for _, m := range oneWay {
		if m == nil {
			continue
		}
		for c := range m.Fitted {
			if e := m.standardError(c); e > 0 {
				all = append(all, interval*e)
			}
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	return all[len(all)-1], all[len(all)/2]
}

// knownFrom returns the least share such that nine of ten cells of two columns with at least that share are known to a
// tenth; 0 without any.
func (p Page) knownFrom() float64 {
	all := p.cells(2)
	slices.SortStableFunc(all, func(x, y cell) int { return cmp.Compare(y.share, x.share) })
	well, least := 0, 0.0
	for i, c := range all {
		if c.half <= wellKnown*c.share {
			well++
		}
		if 10*well >= 9*(i+1) {
			least = c.share
		}
	}
	return least
}

// pooled lists the values that were too rare to be measured together with others, by what the pairs say.
func (p Page) pooled() (list []string) {
	sizes := p.Domain.Sizes()
	seen, apart := make([][]int, len(sizes)), make([][]int, len(sizes))
	for a, n := range sizes {
		seen[a], apart[a] = make([]int, n), make([]int, n)
	}
	for i := range p.Marginals {
		m := &p.Marginals[i]
		if len(m.Clique) != 2 || m.FittedFrom == nil {
			continue
		}
		strides := m.Clique.Strides(sizes)
		for c, from := range m.FittedFrom {
			for j, a := range m.Clique {
				v := c / strides[j] % sizes[a]
				seen[a][v]++
				if from == "pooled" {
					apart[a][v]++
				}
			}
		}
	}
	for a := range sizes {
		for v := range seen[a] {
			if seen[a][v] > 0 && apart[a][v] == seen[a][v] {
				list = append(list, p.cellLabel(domain.NewClique(a), v))
			}
		}
	}
	return list
}

// fixed writes a figure with so many decimals.
func fixed(x float64, decimals int) string { return strconv.FormatFloat(x, 'f', decimals, 64) }
