package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// records are people of a few columns, counted by cell of all of them.
type records struct{ *solvertest.Table }

// Units is the number of people.
func (p records) Units() int64 { return int64(p.Table.Units()) }

// Marginal counts them.
func (p records) Marginal(c domain.Clique) []int64 {
	cells, _ := c.Cells(p.Sizes)
	out := make([]int64, cells)
	for i, n := range p.Counts {
		codes, at := make([]int, len(p.Sizes)), 0
		for a, rest := len(p.Sizes)-1, i; a >= 0; a-- {
			codes[a], rest = rest%p.Sizes[a], rest/p.Sizes[a]
		}
		for _, a := range c {
			at = at*p.Sizes[a] + codes[a]
		}
		out[at] += int64(n)
	}
	return out
}

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
		var held, all [4]int
		var off [4]float64
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
					name, code := d.Attributes[a].Name, 0
					for _, x := range must.Value(release.Answer(must.Value(answer.Parse("SELECT "+name+", COUNT(*) FROM rows GROUP BY "+name))(t), answer.Options{}))(t) {
						must.Value(fmt.Sscanf(strings.TrimLeft(x.Group[0], "v["), "%d", &code))(t)
						if n := float64(counts[code]); n > 0 {
							off[0] += math.Abs(x.Value-n) / x.StandardError
							if all[0]++; x.Low <= n && n <= x.High {
								held[0]++
							}
						}
					}
				}
				for _, c := range []domain.Clique{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
					fitted := release.Model.Marginal(c, nil)
					for i := range fitted {
						fitted[i] *= release.Units / release.Model.Total()
					}
					errors := release.Errors.StandardErrors(c, fitted, nil)
					highs := release.Errors.Highs(c, fitted, errors, nil)
					for i, n := range p.Marginal(c) {
						if n == 0 {
							continue
						}
						share := float64(n) * release.Units / float64(p.Units())
						off[len(c)] += math.Abs(fitted[i]-share) / errors[i]
						if all[len(c)]++; fitted[i]-1.96*errors[i] <= share && share <= highs[i] {
							held[len(c)]++
						}
					}
				}
			}
		}
		for width := range held { // 0: counts of values, as query has them
			off[width] /= float64(all[width])
			t.Logf("%s, %d columns: %d of %d hold, and are %.2f standard errors off", method, width, held[width], all[width], off[width])
			// Counts of values: 94 % hold by dpam, and 91 % if the noise of the number of people is taken to be spread evenly over values.
			if float64(held[width]) < []float64{.92, .9, .95, .95}[width]*float64(all[width]) {
				t.Errorf("%s: %d of %d cells of %d columns hold", method, held[width], all[width], width)
			}
		}
		if method != "dpfw" && off[1] < .4 {
			t.Errorf("%s: values of columns are %.2f standard errors off, want .4: intervals are too wide", method, off[1])
		}
	}
}
