package answer_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

// diagonal is a table of two columns whose second follows from the first but for a few values, and questions on it.
type diagonal struct {
	records
	domain *domain.Domain
}

// laws draw the first number of a diagonal.
var laws = map[string]func(r *rand.Rand, top int) int{
	"even":   func(r *rand.Rand, top int) int { return r.IntN(top) },
	"normal": func(r *rand.Rand, top int) int { return int(float64(top)/2 + float64(top)/7*r.NormFloat64()) },
	"tail":   func(r *rand.Rand, top int) int { return int(float64(top) / 8 * r.ExpFloat64()) },
}

// newDiagonal draws people. Categories are named so that no order shows the diagonal; numbers with learned bins have three times as
// many values.
func newDiagonal(r *rand.Rand, people int, law, form string) *diagonal {
	top, wide, categories := 20+r.IntN(40), 3+r.IntN(8), form == "categories"
	if form == "learned" {
		top, wide = 3*top+40, 3*wide
	}
	d := &diagonal{records{solvertest.NewTable(top, top+wide)}, &domain.Domain{}}
	names := r.Perm(top + wide)
	for range people {
		x := min(max(laws[law](r, top), 0), top-1)
		y := x + r.IntN(wide)
		if categories {
			y = names[y]
		}
		d.Counts[x*(top+wide)+y]++
	}
	for i, name := range []string{"x", "y"} {
		a := domain.Attribute{Name: name, Type: domain.Int64, Resolution: 1}
		for v := range d.Sizes[i] + 1 {
			a.Cuts = append(a.Cuts, int64(v))
		}
		if form == "learned" {
			a.Cuts, a.Learned, a.HasFallback = []int64{0, int64(d.Sizes[i]) - 1}, 20, true
		}
		if categories {
			a = domain.Attribute{Name: name, Type: domain.String}
			for v := range d.Sizes[i] {
				a.Values = append(a.Values, fmt.Sprint("v", v))
			}
		}
		d.domain.Attributes = append(d.domain.Attributes, a)
	}
	if form == "ordered" {
		for x := 1; x < top; x++ {
			e := domain.Exclusion{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{domain.Code(x)}, nil}}
			for y := range x {
				e.Codes[1] = append(e.Codes[1], domain.Code(y))
			}
			d.domain.StructuralZeros = append(d.domain.StructuralZeros, e)
		}
	}
	return d
}

// Coarsen counts learned bins from now on.
func (d *diagonal) Coarsen(codes query.Recoding) mechanism.Counts {
	sizes := codes.Sizes(d.Sizes)
	out := &diagonal{records{solvertest.NewTable(sizes...)}, d.domain}
	for i, n := range d.Counts {
		at := [2]int{i / d.Sizes[1], i % d.Sizes[1]}
		for a := range at {
			if codes[a] != nil {
				at[a] = int(codes[a][at[a]])
			}
		}
		out.Counts[at[0]*sizes[1]+at[1]] += n
	}
	return out
}

// release fits a table by a method.
func (d *diagonal) release(t *testing.T, method string, epsilon dp.Epsilon, delta dp.Delta, seed uint64) *answer.Release {
	t.Helper()
	return released(t, d, d.domain, method, epsilon, delta, seed)
}

// released fits counts of a domain by a method.
func released(t *testing.T, counts mechanism.Counts, d *domain.Domain, method string, epsilon dp.Epsilon, delta dp.Delta, seed uint64) *answer.Release {
	t.Helper()
	sizes := d.Sizes()
	p := solver.Problem{Domain: d, Workload: query.AllMarginals(sizes, 3, 10_000), Epsilon: epsilon, Delta: delta, Units: float64(counts.Units()), Seed: seed}
	m := must.Value(methods.Lookup(method))(t)
	accesses := must.Value(m.Accesses(p))(t)
	ledger := must.Value(accountant.NewLedger(accountant.Params{Accounting: m.Accounting(epsilon, delta), Epsilon: epsilon, Delta: delta, Coordinates: max(1, solver.Coordinates(accesses))}.Preferred()))(t)
	noise := must.Value(mechanism.SeedFromBytes(binary.BigEndian.AppendUint64([]byte("fixed noise is for tests"), seed)))(t)
	config := sha256.Sum256([]byte(method))
	curator := must.Value(mechanism.New(counts, mechanism.Params{Sizes: d.RecordSizes(), Ledger: ledger, Root: mechanism.NewRoot(noise, config, config)}))(t)
	result := must.Value(m.Solve(context.Background(), p, curator))(t)
	data := must.Value(interval.New(result).MarshalJSON())(t)
	iv := must.Value(interval.Restore(data, sizes))(t)
	return &answer.Release{Domain: must.Value(d.WithBins(result.Bins))(t), Model: result.Model, Units: result.Total.Units, Errors: iv}
}

// asked is a question with its true answer.
type asked struct {
	kind, sql string
	truth     float64
}

// questions of the ends and the middle of both columns: means, sums and counts, by thresholds and by sets.
func (d *diagonal) questions(r *rand.Rand, categories bool) (list []asked) {
	count := func(value func(x, y int) float64) (sum float64) {
		for i, n := range d.Counts {
			sum += n * value(i/d.Sizes[1], i%d.Sizes[1])
		}
		return sum
	}
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	n := d.Table.Units()
	add := func(kind, sql string, truth, people float64) {
		if people > .01*n { // else noise hides it
			list = append(list, asked{kind, sql, truth})
		}
	}
	if categories {
		for range 8 {
			var in [2][]bool
			var names [2]string
			for a, k := range d.Sizes {
				in[a] = make([]bool, k)
				part, texts := .1+.4*r.Float64(), []string(nil)
				for v := range k {
					if in[a][v] = r.Float64() < part; in[a][v] {
						texts = append(texts, fmt.Sprint("v", v))
					}
				}
				names[a] = strings.Join(append(texts, "v0"), ", ")
				in[a][0] = true
			}
			of := count(func(x, y int) float64 { return is(in[0][x]) })
			both := count(func(x, y int) float64 { return is(in[0][x] && in[1][y]) })
			add("counts of sets", fmt.Sprintf("SELECT COUNT(*) FROM rows WHERE x IN (%s) AND y IN (%s)", names[0], names[1]), both, n)
			add("shares of sets", fmt.Sprintf("SELECT SHARE(y IN (%s)) FROM rows WHERE x IN (%s)", names[1], names[0]), both/of, of)
		}
		return list
	}
	for _, level := range []float64{.05, .2, .5, .8} {
		at, sum := 0, 0.0
		for sum < level*n {
			sum += count(func(x, y int) float64 { return is(x == at) })
			at++
		}
		low := count(func(x, y int) float64 { return is(x < at) })
		add("means", fmt.Sprintf("SELECT AVG(y) FROM rows WHERE x < %d", at), count(func(x, y int) float64 { return is(x < at) * float64(y) })/low, low)
		add("means", fmt.Sprintf("SELECT AVG(y) FROM rows WHERE x >= %d", at), count(func(x, y int) float64 { return is(x >= at) * float64(y) })/(n-low), n-low)
		high := count(func(x, y int) float64 { return is(y >= at) })
		add("means", fmt.Sprintf("SELECT AVG(x) FROM rows WHERE y >= %d", at), count(func(x, y int) float64 { return is(y >= at) * float64(x) })/high, high)
		add("sums", fmt.Sprintf("SELECT SUM(y) FROM rows WHERE x >= %d", at), count(func(x, y int) float64 { return is(x >= at) * float64(y) }), n-low)
		add("counts of corners", fmt.Sprintf("SELECT COUNT(*) FROM rows WHERE x < %d AND y >= %d", at, at+1), count(func(x, y int) float64 { return is(x < at && y >= at+1) }), n)
		add("counts of one column", fmt.Sprintf("SELECT COUNT(*) FROM rows WHERE y < %d", at), n-high, n-high)
	}
	add("means of one column", "SELECT AVG(y) FROM rows", count(func(x, y int) float64 { return float64(y) })/n, n)
	return list
}

// tried reports whether a draw is made, of four ε in turn: all by night, else one, another of each table.
func tried(draw uint64) bool { return dptest.Nightly() || (draw-1)%4 == (draw-1)/4%4 }

// TestDiagonals: of two columns, where one follows the other but for a few values, 95 % intervals of means, sums, counts and shares
// hold the truth: numbers with even, normal and skew laws, with and without zeros declared, and categories; by each method, from
// ε = .3 to 10. So do intervals of single cells with people: with ends at ± 1.96 standard errors 91 % of them by rake held, and 50 %
// of categories of 4,000 people at ε = .3. A kind fails if its coverage is below 90 %, with a false-alarm rate below 1 in 100,000, and a method if its answers
// are less than a quarter of a standard error off in the mean: then intervals say nothing. The noise is fixed, so that a failure
// is never chance. In November 2026, of 4,000 and 20,000 people 98 % held by rake, 99 % by dpam and 97 % by dpfw; of counts of
// corners beside the diagonal 95, 94 and 95 %: the fit gives empty cells there more than they have.
func TestDiagonals(t *testing.T) {
	names, people, epsilons, draw := []string{"rake", "dpam", "dpfw"}, []int{4000, 20_000}, []dp.Epsilon{.3, 1, 3, 10}, uint64(0)
	switch {
	case dptest.Nightly():
		people = append(people, 200_000)
	case testing.Short():
		names, people = names[:1], people[:1]
	}
	for _, method := range names {
		kinds, all := holdings{}, &holding{}
		for _, law := range []string{"even", "normal", "tail"} {
			forms := []string{"numbers", "ordered", "categories", "learned"}
			if method != "rake" { // others learn no bins
				forms = forms[:3]
			}
			for _, form := range forms {
				people := people
				if form == "learned" {
					people = []int{20_000, 200_000} // few people have wide intervals
				}
				for _, n := range people {
					for _, epsilon := range epsilons {
						if draw++; !tried(draw) && method != "dpfw" && form != "learned" && !testing.Short() {
							continue
						}
						r := rand.New(rand.NewPCG(draw, 47))
						d := newDiagonal(r, n, law, form)
						release := d.release(t, method, epsilon, 1e-9, draw)
						for _, q := range d.questions(r, form == "categories") {
							if a, ok := seen(t, release, q.sql); ok {
								kinds.of(law+" "+form).add(a, q.truth)
								kinds.of(form+": "+q.kind).add(a, q.truth)
								all.add(a, q.truth)
							}
						}
						if form != "learned" { // its cells are the release's
							kinds.addAll(d.cells(t, release), form+": ")
						}
					}
				}
			}
		}
		kinds.check(t, method, func(kind string) float64 {
			switch {
			case method == "rake" && strings.Contains(kind, "cells with people") && !dptest.Nightly():
				return .97 // 97.7 % or more hold; without upper ends of their own, 95 % of categories
			case kind == "learned: counts of corners":
				return .95 // 92 of 96 hold; 77 if cells beside the diagonal are taken to be even inside
			}
			return .9
		})
		t.Logf("%s: %v", method, all)
		if held := float64(all.held) / float64(all.all); held < .93 || all.off < .25*float64(all.all) {
			t.Errorf("%s: %.3f of the intervals hold, want .93; answers are %.2f standard errors off, want .25", method, held, all.off/float64(all.all))
		}
	}
}

// cells counts the intervals of the counts of cells with people, as a release publishes them and as it answers for them.
func (d *diagonal) cells(t *testing.T, r *answer.Release) holdings {
	t.Helper()
	out, cells := holdings{}, published(r, domain.Clique{0, 1})
	for i, n := range d.Counts {
		if n > 0 {
			out.of("cells with people").add(cells[i], n)
		}
	}
	for _, a := range ask(t, r, "SELECT x, y, COUNT(*) FROM rows GROUP BY x, y") {
		if n := d.Counts[codeOf(t, a.Group[0])*d.Sizes[1]+codeOf(t, a.Group[1])]; n > 0 {
			out.of("cells with people, asked").add(a, n)
		}
	}
	return out
}

// TestLargestShares: the largest error of a share of one column is at most what Largest says with 95 % confidence, in 93 % of
// releases or more, by each method on diagonals; pure dpam, whose fit is off by more than noise in sums of empty cells, said a
// fourth to an eighteenth of it once. The noise is fixed.
func TestLargestShares(t *testing.T) {
	held, all := 0, 0
	for _, by := range []struct {
		method string
		delta  dp.Delta
	}{{"rake", 1e-9}, {"dpam", 1e-9}, {"dpam", 0}, {"dpfw", 0}} {
		for _, epsilon := range []dp.Epsilon{.3, 1, 3, 10} {
			for k, form := range []string{"numbers", "ordered", "categories"} {
				seed := uint64(100*epsilon) + uint64(k)
				d := newDiagonal(rand.New(rand.NewPCG(seed, 3)), 4000, "tail", form)
				r, largest, off := d.release(t, by.method, epsilon, by.delta, seed), interval.Largest{}, 0.0
				for a := range d.Sizes {
					c := domain.Clique{a}
					counts := fitted(r, c)
					largest.Add(r.Errors.StandardErrors(c, counts, nil))
					for i, n := range d.Marginal(c) {
						off = max(off, math.Abs(counts[i]/r.Units-float64(n)/d.Table.Units()))
					}
				}
				if all++; off <= max(1, largest.Within(.95))/r.Units {
					held++
				} else {
					t.Logf("%s, δ = %g, ε = %g, %s: off by %.5f, said to be %.5f", by.method, by.delta, epsilon, form, off, largest.Within(.95)/r.Units)
				}
			}
		}
	}
	t.Logf("%d of %d hold", held, all)
	must.Hold(t, float64(held) >= .93*float64(all), "%d of %d largest errors are at most what is said", held, all)
}
