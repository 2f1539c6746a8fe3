package answer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
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
	holds(t, functions)
}

func functions(r *rand.Rand) records {
	k := 3 + r.IntN(6)
	p := records{solvertest.NewTable(k, 4, 41)}
	for range 4000 {
		x, y := r.IntN(k), r.IntN(4)
		p.Counts[(x*4+y)*41+(x*7+y*3)%41]++
	}
	return p
}

// TestValuesByDpam: of the values that people have, 90 % or more of the shares and of query's counts lie in their 95 % intervals by dpam, of
// each kind of table, with δ and without; and no more than 98.5 % of all. Of shares of surveys without δ, at ε = 3, 85 % did: many cells are
// empty, and all are lowered by what noise adds to these. Of cells of two columns 90 % or more hold too, and 98.3 % in the mean at most;
// and of those with many people, of which 75 % held: a large share errs by the noise of the number of people. Of query's counts of pairs
// 98.5 % hold at most, and no interval of a count is narrower than a person: noise is whole people. The noise is fixed.
func TestValuesByDpam(t *testing.T) {
	sum, n, inside, asked := 0.0, 0.0, 0.0, 0.0
	for name, draw := range map[string]func(r *rand.Rand) records{
		"functions": functions,
		"diagonal": func(r *rand.Rand) records {
			top, wide := 20+r.IntN(30), 3+r.IntN(8)
			p := records{solvertest.NewTable(top, top+wide)}
			for range 4000 {
				x := r.IntN(top)
				p.Counts[x*(top+wide)+x+r.IntN(wide)]++
			}
			return p
		},
		"numbers": func(r *rand.Rand) records {
			p, spread := records{solvertest.NewTable(40, 31)}, 4+8*r.Float64()
			for range 4000 {
				x := min(39, max(0, int(20+spread*r.NormFloat64())))
				p.Counts[x*31+min(30, max(0, int(float64(x)-5+4*r.NormFloat64())))]++
			}
			return p
		},
		"hardly any": func(r *rand.Rand) records {
			p := records{solvertest.NewTable(11, 5)}
			for range 4000 {
				x := 10 // 1 in 500 does not leave it out
				if r.Float64() > .998 {
					x = r.IntN(10)
				}
				p.Counts[x*5+r.IntN(3)]++
			}
			return p
		},
		"surveys": func(r *rand.Rand) records {
			p := records{solvertest.NewTable(5, 6, 6)}
			for range 4000 {
				x := r.IntN(5)
				at := x
				for range 2 {
					y := 5 // 95 % leave it out
					if r.Float64() > .95 {
						y = (x + r.IntN(2)) % 5
					}
					at = at*6 + y
				}
				p.Counts[at]++
			}
			return p
		},
	} {
		for _, epsilon := range []dp.Epsilon{.3, 1, 3, 10} {
			for _, delta := range []dp.Delta{1e-9, 0} {
				var counts, shares, cells, large, pairs holding
				for seed := range uint64(16) {
					p := draw(rand.New(rand.NewPCG(seed, 77)))
					release := released(t, p, named(p), "dpam", epsilon, delta, seed)
					eachValue(t, release, p, func(x answer.Answer, n float64) {
						if counts.add(x, n); x.Low > 0 && x.High-x.Low < 1 {
							t.Fatalf("%s, ε = %g, δ = %g: %g to %g: noise that is not 0 is a person at least", name, float64(epsilon), float64(delta), x.Low, x.High)
						}
					})
					if both := p.Marginal(domain.Clique{0, 1}); seed < 4 { // more take long
						for _, x := range ask(t, release, "SELECT c0, c1, COUNT(*) FROM rows GROUP BY c0, c1") {
							if n := both[codeOf(t, x.Group[0])*p.Sizes[1]+codeOf(t, x.Group[1])]; n > 0 {
								pairs.add(x, float64(n))
							}
						}
					}
					for a := range p.Sizes {
						list := published(release, domain.Clique{a})
						for code, n := range p.Marginal(domain.Clique{a}) {
							if n > 0 {
								shares.add(list[code], float64(n)*release.Units/float64(p.Units()))
							}
						}
					}
					for _, c := range marginal.Subsets(domain.All(len(p.Sizes)), 2) {
						list := published(release, c)
						for cell, n := range p.Marginal(c) {
							if n > 0 {
								cells.add(list[cell], float64(n)*release.Units/float64(p.Units()))
							}
							if n > 600 {
								large.add(list[cell], float64(n)*release.Units/float64(p.Units()))
							}
						}
					}
				}
				inside, asked = inside+float64(cells.held)/float64(cells.all)/40, asked+float64(pairs.held)/float64(pairs.all)/40
				for kind, x := range map[string]holding{"counts": counts, "shares": shares, "cells": cells, "large cells": large, "counts of pairs": pairs} {
					if x.all == 0 {
						continue
					}
					part := float64(x.held) / float64(x.all)
					t.Logf("%s, ε = %g, δ = %g: %.1f %% of %d %s hold", name, float64(epsilon), float64(delta), 100*part, x.all, kind)
					sum, n = sum+part, n+1
					must.Hold(t, part >= .9, "%s, ε = %g, δ = %g: %.1f %% of %d %s hold", name, float64(epsilon), float64(delta), 100*part, x.all, kind)
				}
			}
		}
	}
	must.Hold(t, sum/n <= .985 && inside <= .983 && asked <= .985,
		"in the mean %.1f %% hold, of cells %.1f and %.1f %%: intervals are too wide", 100*sum/n, 100*inside, 100*asked)
}

// named are columns of categories, and of numbers where there are more than 40 values.
func named(p records) *domain.Domain {
	d := &domain.Domain{}
	for a, size := range p.Sizes {
		column := domain.Attribute{Name: fmt.Sprint("c", a), Type: domain.String}
		for v := range size {
			column.Values = append(column.Values, fmt.Sprint("v", v))
		}
		if size > 40 {
			column = domain.Attribute{Name: column.Name, Type: domain.Int64, Resolution: 1}
			for v := range size + 1 {
				column.Cuts = append(column.Cuts, int64(v))
			}
		}
		d.Attributes = append(d.Attributes, column)
	}
	return d
}

// eachValue visits query's counts of all columns' values that people have, with the true ones.
func eachValue(t *testing.T, release *answer.Release, p records, visit func(x answer.Answer, n float64)) {
	t.Helper()
	for a := range p.Sizes {
		counts, name := p.Marginal(domain.Clique{a}), fmt.Sprint("c", a)
		for _, x := range ask(t, release, "SELECT "+name+", COUNT(*) FROM rows GROUP BY "+name) {
			if n := float64(counts[codeOf(t, x.Group[0])]); n > 0 {
				visit(x, n)
			}
		}
	}
}

// holds checks the shares of cells with people of three tables, at three levels of noise; and that values of columns are .4 standard errors
// off in the mean, by rake and dpam: by dpam they were .16 and .29 when noise of empty cells, which the fit loses, counted.
func holds(t *testing.T, draw func(r *rand.Rand) records) {
	t.Helper()
	for _, method := range []string{"rake", "dpam", "dpfw"} {
		var kinds [4]holding
		for _, epsilon := range []dp.Epsilon{.3, 1, 10} {
			for seed := range uint64(3) {
				p := draw(rand.New(rand.NewPCG(seed, 99)))
				release := released(t, p, named(p), method, epsilon, 1e-9, seed)
				eachValue(t, release, p, kinds[0].add)
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
			must.Hold(t, float64(x.held) >= []float64{.92, .9, .95, .95}[width]*float64(x.all),
				"%s: %d of %d cells of %d columns hold", method, x.held, x.all, width)
		}
		off := kinds[1].off / float64(kinds[1].all)
		must.Hold(t, method == "dpfw" || off >= .4, "%s: values of columns are %.2f standard errors off, want .4: intervals are too wide", method, off)
	}
}
