// Package choose decides what to measure: it holds the tables that a workload makes worth measuring, turns noisy scores into
// priors of their cells, divides budgets between them, and predicts the error of what they make.
package choose

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
)

// Candidates are all tables that may be measured, and what is known of them so far.
type Candidates struct {
	Targets Targets
	Ones    *oneway.Tables
	Merged  *oneway.Merged
	Units   float64

	Pairs    []*Candidate
	Triples  []*Candidate // scored
	unscored []*Candidate // only their pairs are known
	ByPair   map[string]*Candidate

	neighbouring dp.Neighbouring
	expected     bool // answers are expected ones, without noise
}

// NewCandidates returns the pairs that have a residual, with the bases that one-ways and exclusions make.
func NewCandidates(n dp.Neighbouring, t Targets, ones *oneway.Tables, merged *oneway.Merged, units float64, expected bool) *Candidates {
	x := &Candidates{Targets: t, Ones: ones, Merged: merged, Units: units, ByPair: map[string]*Candidate{}, neighbouring: n, expected: expected}
	for _, t := range t.Pairs {
		if c := NewCandidate(n, merged.Sizes, t); c.Cost > 0 {
			c.SetBase(merged.Unlinked(c.Clique, units))
			x.Pairs = append(x.Pairs, c)
			x.ByPair[c.Clique.Key()] = c
		}
	}
	return x
}

// All returns the pairs and the scored triples.
func (x *Candidates) All() []*Candidate { return slices.Concat(x.Pairs, x.Triples) }

// CliquesAndBases returns what a round of scores asks of each candidate.
func CliquesAndBases(list []*Candidate) ([]domain.Clique, query.Answers) {
	bases := make(query.Answers, len(list))
	for i, c := range list {
		bases[i] = c.Base
	}
	return CandidateCliques(list), bases
}

// CandidateCliques returns the cliques of candidates.
func CandidateCliques(list []*Candidate) []domain.Clique {
	out := make([]domain.Clique, len(list))
	for i, c := range list {
		out[i] = c.Clique
	}
	return out
}

// SharePairs takes the first scores, of pairs, and divides a budget between the pairs.
func (x *Candidates) SharePairs(scores []float64, variance, budget float64) {
	x.setPriors(x.Pairs, scores, variance)
	for _, c := range x.Pairs {
		c.screen()
	}
	waterfill(x.Pairs, budget)
}

// setPriors sets priors of candidates by shrunken scores.
func (x *Candidates) setPriors(list []*Candidate, scores []float64, variance float64) {
	shrunk, deviations := shrink(scores, variance)
	for i, c := range list {
		c.ScoreSD = deviations[i]
		c.setScore(shrunk[i], x.Units)
	}
}

// AddTriples adds the triples to score, at most so many, those whose pairs scored highest first, and their own weights.
func (x *Candidates) AddTriples(most int) {
	promise := map[*Candidate]float64{}
	for _, t := range x.Targets.Triples {
		c := NewCandidate(x.neighbouring, x.Merged.Sizes, t)
		if c.Cost == 0 {
			continue
		}
		for _, pair := range Subsets(t.Clique, 2) {
			p := x.ByPair[pair.Key()] // exists, as no attribute of the triple has one code
			c.pairs = append(c.pairs, p)
			promise[c] += p.Score
		}
		x.Triples = append(x.Triples, c)
	}
	if most = x.Targets.most(most); len(x.Triples) > most {
		slices.SortStableFunc(x.Triples, func(a, b *Candidate) int { return cmp.Compare(promise[b], promise[a]) })
		x.Triples, x.unscored = x.Triples[:most], x.Triples[most:]
	}
}

// leastOwnScore is the part of a triple's distance that is never put down to its pairs.
const leastOwnScore = .3

// ShareAll takes the second scores, of all candidates, and divides a budget between pairs and the triples worth most, at most so
// many, which it returns. What a triple's pairs explain of its distance is taken off, in quadrature.
func (x *Candidates) ShareAll(scores []float64, variance, budget float64, most int) []*Candidate {
	x.setPriors(x.Pairs, scores[:len(x.Pairs)], variance)
	own, deviations := shrink(scores[len(x.Pairs):], variance)
	for i, t := range x.Triples {
		square := own[i] * own[i]
		for _, p := range t.pairs {
			square -= p.Score * p.Score
		}
		t.ScoreSD = deviations[i]
		t.setScore(max(math.Sqrt(max(square, 0)), leastOwnScore*own[i]), x.Units)
	}
	list := x.All()
	for _, c := range list {
		c.screen()
	}
	waterfill(list, budget)
	for round := 1; round < 6 && len(x.Triples) > 0; round++ {
		reweigh(x.Pairs, x.Triples)
		waterfill(list, budget)
	}
	if most = x.Targets.most(most); len(x.Triples) > most {
		slices.SortStableFunc(x.Triples, func(a, b *Candidate) int { return cmp.Compare(b.Cost*b.Precision, a.Cost*a.Precision) })
		list = slices.Concat(x.Pairs, x.Triples[:most])
		waterfill(list, budget)
	}
	return list
}
