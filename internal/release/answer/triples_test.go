package answer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// TestTriplesOfCopies: of a column, a copy of it under other names, and a third one, 90 % or more of the values, and 95 % of the cells of
// pairs and triples with people lie in their 95 % intervals. Of triples by rake 78 % did, and by dpam 81 and then 92 %, since their fits
// draw cells beside many empty ones to 0. The noise is fixed.
func TestTriplesOfCopies(t *testing.T) {
	holds(t, func(r *rand.Rand) records {
		k := 5 + r.IntN(30)
		p, names := records{solvertest.NewTable(k, k, 3)}, r.Perm(k)
		for range 4000 {
			x := int(float64(k) * r.Float64() * r.Float64())
			p.Counts[(x*k+names[x])*3+r.IntN(3)]++
		}
		return p
	})
}

// TestPooledFunctions is the same of two columns and a number that tells both, whose values rake pools at little ε. Of triples 50 %
// held when people of a pooled value were taken to be spread over cells.
func TestPooledFunctions(t *testing.T) {
	holds(t, func(r *rand.Rand) records {
		k := 3 + r.IntN(6)
		p := records{solvertest.NewTable(k, 4, 41)}
		for range 4000 {
			x, y := r.IntN(k), r.IntN(4)
			p.Counts[(x*4+y)*41+(x*7+y*3)%41]++
		}
		return p
	})
}

// holds checks the shares of cells with people of three tables, at three levels of noise; and that values of columns are .4 standard errors
// off in the mean, by rake and dpam: by dpam they were .16 and .29 when noise of empty cells, which the fit loses, counted.
func holds(t *testing.T, draw func(r *rand.Rand) records) {
	t.Helper()
	for _, method := range []string{"rake", "dpam", "dpfw"} {
		var kinds [4]holding
		for _, epsilon := range []dp.Epsilon{.3, 1, 10} {
			for seed := range uint64(3) {
				p, d := draw(rand.New(rand.NewPCG(seed, 99))), &domain.Domain{}
				for a, size := range p.Sizes {
					column := domain.Attribute{Name: fmt.Sprint("c", a), Type: domain.String}
					for v := range size {
						column.Values = append(column.Values, fmt.Sprint("v", v))
					}
					if size > 40 { // numbers
						column = domain.Attribute{Name: column.Name, Type: domain.Int64, Resolution: 1}
						for v := range size + 1 {
							column.Cuts = append(column.Cuts, int64(v))
						}
					}
					d.Attributes = append(d.Attributes, column)
				}
				release := released(t, p, d, method, epsilon, 1e-9, seed)
				for a := range p.Sizes {
					counts := p.Marginal(domain.Clique{a})
					name := d.Attributes[a].Name
					for _, x := range ask(t, release, "SELECT "+name+", COUNT(*) FROM rows GROUP BY "+name) {
						if n := float64(counts[codeOf(t, x.Group[0])]); n > 0 {
							kinds[0].add(x, n)
						}
					}
				}
				for _, c := range []domain.Clique{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
					cells := published(release, c)
					for i, n := range p.Marginal(c) {
						if n > 0 {
							kinds[len(c)].add(cells[i], float64(n)*release.Units/float64(p.Units()))
						}
					}
				}
			}
		}
		for width, x := range kinds { // 0: counts of values, as query has them
			t.Logf("%s, %d columns: %v", method, width, &x)
			// Counts of values: 94 % hold by dpam, and 91 % if the noise of the number of people is taken to be spread evenly over values.
			if float64(x.held) < []float64{.92, .9, .95, .95}[width]*float64(x.all) {
				t.Errorf("%s: %d of %d cells of %d columns hold", method, x.held, x.all, width)
			}
		}
		if off := kinds[1].off / float64(kinds[1].all); method != "dpfw" && off < .4 {
			t.Errorf("%s: values of columns are %.2f standard errors off, want .4: intervals are too wide", method, off)
		}
	}
}
