package discover

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// counting is the definition of what is counted: each unit once, by its value or, if neither this nor a longer prefix stands,
// by its prefix. lengths are those at which a text may be cut.
func counting(units []string, of query.ValuesOf, lengths func(text string) []int) map[string]int64 {
	counts := map[string]int64{}
	for _, text := range units {
		lengths := lengths(text)
		switch name, ok := domain.Prefix(text, of.Prefix); {
		case of.Prefix == 0:
			if len(lengths) == 0 || !strings.HasSuffix(text, domain.PrefixMark) {
				counts[text]++
			}
		case !ok || !slices.Contains(lengths, of.Prefix) || slices.Contains(of.Standing, text):
		default:
			covered := slices.ContainsFunc(lengths, func(n int) bool {
				longer, ok := domain.Prefix(text, n)
				return ok && n > of.Prefix && slices.Contains(of.Standing, longer)
			})
			if !covered {
				counts[name]++
			}
		}
	}
	return counts
}

// TestLevelsCountEachUnitOnce: what is counted of shards from which rare values were dropped early is what the definition
// counts, of all that more than the first cut of units have: dropping moves no unit from a count that it changes to another.
// Half of what could pass stands at each level. Every second table has no declared lengths, so that codes alone are cut.
func TestLevelsCountEachUnitOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for table := range 800 {
		cut := int64(rng.IntN(4))
		column, levels, stars := Column{Name: "dx", Type: domain.String, Prefixes: []int{1, 2, 4}}, []int{0, 4, 2, 1}, 2
		if table%2 == 1 {
			column.Prefixes, levels, stars = nil, []int{0, 3, 1}, 1 // a column with a star in a value is not cut
		}
		lengths := func(text string) []int {
			if isCode := strings.ContainsAny(text, "0123456789") && !strings.ContainsAny(text, "ä*"); table%2 == 1 && isCode {
				return []int{1, 3}
			}
			return column.Prefixes
		}
		var units []string
		var data rows
		for range 1 + rng.IntN(120) {
			text := []string{"a", "ä", "b"}[rng.IntN(3)] + strings.Repeat("x", rng.IntN(3)) + strings.Repeat("*", rng.IntN(stars)) + fmt.Sprint(rng.IntN(1 + rng.IntN(30)))[:rng.IntN(2)]
			units, data = append(units, text), append(data, []string{text})
		}
		p := Params{Columns: []Column{column}, Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 1), Shards: 3}
		sum := countedAbove(t, p, cut, data[:len(data)/2], data[len(data)/2:])
		var standing []string
		for _, n := range levels {
			of := query.ValuesOf{Prefix: n, Standing: standing}
			want := counting(units, of, lengths)
			maps.DeleteFunc(want, func(_ string, n int64) bool { return n <= cut })
			got := map[string]int64{}
			for _, v := range sum.Values(of, cut) {
				got[v.Text] = v.Count
			}
			must.Need(t, maps.Equal(got, want), "first cut %d, prefixes of %d, standing %q: counted %v, want %v of %q", cut, n, standing, got, want, units)
			for _, text := range slices.Sorted(maps.Keys(want)) {
				if rng.IntN(2) == 0 {
					standing = append(standing, text)
				}
			}
		}
	}
}

// twoLevels has the laws of a release of values, and of one of prefixes after it.
type twoLevels struct {
	event accountant.Event // of each of the two
	laws  [][]float64      // by count: noisy counts above the threshold, and nothing, last
}

func newTwoLevels(e accountant.Event) *twoLevels {
	l := &twoLevels{event: e}
	noise := dptest.DiscreteGaussian(e.Scales[0])
	threshold, _ := e.Threshold.Float64()
	most := int(threshold + 7*math.Sqrt(e.Variance(0)) + 2) // what is beyond is one outcome
	for count := range int64(6) {
		p := make([]float64, most+1)
		reach := noise.Reach(0)
		for z := -reach; z <= reach && count > e.First; z++ {
			y := new(big.Rat).SetFrac(big.NewInt(z), new(big.Int).Lsh(big.NewInt(1), uint(e.GridBits)))
			at, _ := noise.At(z).P.Float64()
			if y.Add(y, big.NewRat(count, 1)); y.Cmp(e.Threshold) > 0 {
				v, _ := y.Float64()
				p[min(int(v), most-1)] += at
			} else {
				p[most] += at
			}
		}
		if count <= e.First {
			p[most] = 1
		}
		l.laws = append(l.laws, p)
	}
	return l
}

// none is the chance that a count releases nothing.
func (l *twoLevels) none(count int64) float64 { return l.laws[count][len(l.laws[count])-1] }

// outcomes lists what two counts release, one at each of two tables: all of it, or given that it passes or does not.
func (l *twoLevels) outcomes(a, b int64, passes bool) (pairs [][2]float64) {
	last := len(l.laws[a]) - 1
	if !passes {
		return [][2]float64{{l.none(a), l.none(b)}}
	}
	if a == b {
		return [][2]float64{{1 - l.none(a), 1 - l.none(b)}}
	}
	for i := range last {
		pairs = append(pairs, [2]float64{l.laws[a][i], l.laws[b][i]})
	}
	return pairs
}

// times are the products of outcomes of independent releases.
func times(a, b [][2]float64) (out [][2]float64) {
	for _, x := range a {
		for _, y := range b {
			if p := [2]float64{x[0] * y[0], x[1] * y[1]}; p[0] > 0 || p[1] > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// TestPrefixLaw computes the law of what is released of values and then of their prefixes, of all tables of at most four units
// over three values, two of them with one beginning, and compares it with the release of every neighbour: the hockey sticks are at most
// δ(ε) of both charges, and what new values and new prefixes cost. What is counted is what the pipeline counts.
func TestPrefixLaw(t *testing.T) {
	values := []string{"aa", "ab", "b"}
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		for _, first := range []int64{0, 1} {
			ledger := must.Value(accountant.NewLedger(accountant.Params{Neighbouring: n, Epsilon: .5, Delta: .2, ValuesDelta: .1}))(t)
			for level := range 2 {
				e := must.Value(ledger.Values(accountant.Values{Columns: 1, First: first, Delta: dp.ShareOf(1, 2)}, dp.ShareOf(1, 2)))(t)
				must.Do(t, ledger.Charge(e.At("values", level)))
			}
			events := ledger.Events()
			l, rho, delta := newTwoLevels(events[0]), 0., 0.
			for _, e := range events {
				own, _ := e.Delta.Float64()
				rho, delta = rho+float64(n.UnitChanges())/(2*e.Variance(0)), delta+own
			}
			grid := []float64{0, .5, 1, 2, 3, 60}
			used, byValue := 0., 0.
			for _, x := range dptest.Tables(3, 4) {
				for _, y := range dptest.Neighbours(n, x) {
					for k, got := range l.hockeySticks(t, values, first, x, y, grid) {
						bound := accountant.RhoDeltaCeil(rho, dp.Epsilon(grid[k]))
						must.Need(t, got <= (bound+delta)*(1+1e-9),
							"%v, first cut %d: %v against %v has δ(%g) = %g, claimed are %g and %g", n, first, x, y, grid[k], got, bound, delta)
						used = max(used, got/(bound+delta))
						if bound < delta/1000 {
							byValue = max(byValue, got/delta)
						}
					}
				}
			}
			if byValue < .5 { // twice the chance would be above the claim
				t.Errorf("%v, first cut %d: no pair uses more than %.3f of the delta of new values and prefixes: too little to see an error", n, first, byValue)
			}
			dptest.Figure(t, "values and prefixes above a threshold, %v, first cut %d: used of δ(ε) + delta: %.2f, of delta %.2f", n, first, used, byValue)
		}
	}
}

// hockeySticks sums the positive parts of P(x) − exp(ε)·P(y) over what is released of two tables.
func (l *twoLevels) hockeySticks(t *testing.T, values []string, first int64, x, y []int64, grid []float64) []float64 {
	t.Helper()
	sums := make([]float64, len(grid))
	lengths := []int{1}
	for pattern := range 1 << len(values) { // which values pass
		joint, standing := [][2]float64{{1, 1}}, []string(nil)
		for v, text := range values {
			passes := pattern>>v&1 == 1
			if joint = times(joint, l.outcomes(x[v], y[v], passes)); passes {
				standing = append(standing, text)
			}
		}
		here, there := prefixCounts(values, x, first, lengths, standing), prefixCounts(values, y, first, lengths, standing)
		for _, name := range []string{"a*", "b*"} {
			if a, b := here[name], there[name]; a != b { // else it has one law on both sides
				joint = times(joint, append(l.outcomes(a, b, true), l.outcomes(a, b, false)...))
			}
		}
		for k, e := range grid {
			factor := math.Exp(e)
			for _, p := range joint {
				sums[k] += max(0, p[0]-factor*p[1])
			}
		}
	}
	return sums
}

// prefixCounts are the counts of prefixes after a first cut, given the values that stand.
func prefixCounts(values []string, counts []int64, first int64, lengths []int, standing []string) map[string]int64 {
	table := valuesTable([]Column{{Type: domain.String, Prefixes: lengths}})
	var counted texts
	for v, text := range values {
		if counts[v] > 0 {
			counted.add([]byte(text), counts[v])
		}
	}
	table.keep(0, &counted, first)
	out := map[string]int64{}
	for _, v := range table.Values(query.ValuesOf{Prefix: 1, Standing: standing}, first) {
		out[v.Text] = v.Count
	}
	return out
}

// TestPrefixesAreFound: codes that are shared are named, and rare ones are their longest prefix that enough people share, which
// no code is. All levels together spend the share and the δ of values, and no more.
func TestPrefixesAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var data rows
	for i := range 20_000 {
		data = append(data, []string{[]string{"I10", fmt.Sprintf("D66.%03d", rng.IntN(1000)), fmt.Sprintf("E%04d", rng.IntN(10_000)), fmt.Sprintf("%05d", i)}[rng.IntN(4)], "x"})
	}
	p := Params{Columns: []Column{{Name: "dx", Type: domain.String, Prefixes: []int{1, 3}}, {Name: "flat", Type: domain.String}}, Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10)}
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		p.Neighbouring = n
		f := foundIn(t, p, counted(t, p, data))
		got, want := strings.Join(f.Columns[0].Values, " "), "I10 D66* E* 1* 0*"
		must.Hold(t, got == want || got == "I10 D66* E* 0* 1*", "found %s, want %s", got, want)
		ledger := must.Value(p.ledger())(t)
		delta, columns := 0., 0
		for _, e := range f.Prior.Events {
			if e.Delta != nil {
				own, _ := e.Delta.Float64()
				delta, columns = delta+own, columns+len(e.Scales)
			}
		}
		part := delta / float64(ledger.Params().ValuesDelta)
		must.Hold(t, part <= 1 && part >= .999 && columns == 4, "%v: %d columns and levels have spent %g of the delta of values", n, columns, part)
	}
}

// TestKindsAreOfAllRows: the first rows of a table decide nothing.
func TestKindsAreOfAllRows(t *testing.T) {
	data := slices.Repeat(rows{{"17"}}, 50)
	for i := range 20_000 {
		data = append(data, []string{string(rune('a' + i%2))})
	}
	p := params("", "mark")
	f := foundIn(t, p, counted(t, p, data))
	must.Hold(t, f.Columns[0].Type == domain.String && len(f.Columns[0].Values) == 2, "found %+v", f.Columns[0])
}

// TestCodesAreCut: where nothing declares prefixes, columns of codes are cut as diagnoses and postcodes are, and rare ones are
// named by what they begin with. Serial numbers that all begin alike, names, and codes that are all named are not cut.
func TestCodesAreCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var data rows
	for range 30_000 {
		rare := fmt.Sprintf("%c%02d.%d", 'A'+rng.IntN(8), rng.IntN(30), rng.IntN(10))
		data = append(data, []string{
			[]string{"I10", rare, fmt.Sprintf("D66.%d", rng.IntN(10))}[rng.IntN(3)],
			fmt.Sprintf("N%d", 10_000+rng.IntN(9_000)),
			[]string{"Berlin", fmt.Sprintf("town %c", 'a'+rng.IntN(26)) + strings.Repeat("x", rng.IntN(90))}[rng.IntN(2)],
			[]string{"A1", "B2", "C3"}[rng.IntN(3)],
			fmt.Sprintf("%05d", 5000*rng.IntN(20)+rng.IntN(300)),
		})
	}
	for _, p := range []Params{params("", "dx", "tail", "town", "ward", "zip"), {Columns: typed("dx", "tail", "town", "ward"), Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10)}} {
		f := foundIn(t, p, counted(t, p, data))
		dx := f.Columns[0]
		if all := strings.Join(dx.Values, " "); !slices.Equal(dx.Prefixes, codeLengths) || !strings.HasPrefix(all, "I10") || !strings.Contains(all, "D66") || !strings.Contains(all, "A*") {
			t.Errorf("diagnoses are %+v", dx)
		}
		c := f.Columns[1]
		must.Hold(t, c.Left != "" && len(c.Prefixes) <= 0, "serial numbers of one first letter are %+v", c)
		for _, c := range f.Columns[2:4] {
			must.Hold(t, len(c.Prefixes) <= 0 && c.Left == "" && !slices.ContainsFunc(c.Values, func(s string) bool { return strings.HasSuffix(s, "*") }),
				"%s is %+v", c.Name, c)
		}
		if len(f.Columns) > 4 {
			zip := f.Columns[4]
			must.Hold(t, slices.Contains(zip.Values, "0*") && zip.Left == "", "postcodes of which some begin with 0 are %+v", zip)
		}
		releases := 0
		for _, e := range f.Prior.Events {
			if e.Delta != nil {
				releases += len(e.Scales)
			}
		}
		if want := len(f.Columns) + 2*(len(f.Columns)-2); releases != want { // two lengths each, but of towns, and of wards, which are all named
			t.Errorf("%d releases of values and prefixes, want %d", releases, want)
		}
		must.Contain(t, string(f.File("")), "prefix: [1, 3], other: true", "the domain file")
	}
}

// typed are columns of declared texts.
func typed(names ...string) (list []Column) {
	for _, name := range names {
		list = append(list, Column{Name: name, Type: domain.String})
	}
	return list
}

func TestCodes(t *testing.T) {
	for text, want := range map[string]bool{
		"D66.5": true, "SW1A 1AA": true, "01067": true, "8021": true, "N14228": true, "a1": true, "A/5 2117": true,
		"": false, "250": false, "123456": false, "Berlin": false, "12.50": false, "ann@b1.org": false, "D66.5 and more": false, "ü1": false, "D66*": false,
	} {
		must.Hold(t, code([]byte(text)) == want, "%q is a code: %v", text, !want)
	}
}

// TestRoomForTheRun: whatever a discovery finds, its budget has room for all counts of the columns, also at a large ε, where few noisy
// numbers are covered. A run that was refused after its domain was found has lost what the domain cost.
func TestRoomForTheRun(t *testing.T) {
	gaussian := 0
	for _, epsilon := range []dp.Epsilon{.1, 1, 3, 6, 8, 12} {
		for _, delta := range []dp.Delta{1e-6, 1e-8, 1e-9, 1e-12} {
			for _, columns := range []int{1, 3, 10, 60, 200} {
				p := Params{Epsilon: epsilon, Delta: delta, Share: dp.ShareOf(1, 8), Columns: make([]Column, columns)}
				prior := must.Value(p.Prior())(t)
				if prior.Params.Accounting == dp.GaussianOnly {
					gaussian++
				}
				run := accountant.Params{Epsilon: epsilon, Delta: delta, Accounting: dp.GaussianOnly, Coordinates: int64(columns) * mostValues}
				_, err := accountant.LedgerAfter(&prior, run)
				must.Hold(t, err == nil, "ε = %g, δ = %g, %d columns: %v", epsilon, delta, columns, err)
			}
		}
	}
	must.Hold(t, gaussian >= 60, "%d of 120 budgets are for Gaussian noise alone", gaussian)
}
