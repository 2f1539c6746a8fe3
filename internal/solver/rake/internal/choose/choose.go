// Package choose decides what to measure: it holds the tables that a workload makes worth measuring, turns noisy scores into
// priors of their cells, divides budgets between them, and predicts the error of what they make.
package choose

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
)

// Candidates are all tables that may be measured, and what is known of them so far.
type Candidates struct {
	Targets Targets
	Ones    *oneway.Tables
	Merged  *oneway.Merged
	Units   float64

	Pairs   []*Candidate
	Triples []*Candidate // scored
	Wide    []*Candidate // scored ones of more columns
	ByPair  map[string]*Candidate

	law      Law
	expected bool // answers are expected ones, without noise
}

// NewCandidates returns the pairs that have a residual, with the bases that one-ways and exclusions make.
func NewCandidates(l Law, t Targets, ones *oneway.Tables, merged *oneway.Merged, units float64, expected bool) *Candidates {
	x := &Candidates{Targets: t, Ones: ones, Merged: merged, Units: units, ByPair: map[string]*Candidate{}, law: l, expected: expected}
	for _, t := range t.Pairs {
		if c := NewCandidate(l, merged.Sizes, t); c.Cost > 0 {
			c.SetBase(merged.Unlinked(c.Clique, units))
			x.Pairs = append(x.Pairs, c)
			x.ByPair[c.Clique.Key()] = c
		}
	}
	return x
}

// All returns the pairs and the scored triples and wider tables.
func (x *Candidates) All() []*Candidate { return slices.Concat(x.Pairs, x.Triples, x.Wide) }

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
	return lists.Of(list, func(c *Candidate) domain.Clique { return c.Clique })
}

// SharePairs takes the first scores, of pairs, and divides a budget between the pairs.
func (x *Candidates) SharePairs(scores []float64, variance, budget float64) {
	x.setPriors(x.Pairs, scores, variance)
	for _, c := range x.Pairs {
		c.screen()
	}
	x.law.waterfill(x.Pairs, budget)
}

// setPriors sets priors of candidates by shrunken scores.
func (x *Candidates) setPriors(list []*Candidate, scores []float64, variance float64) {
	shrunk, deviations := shrink(scores, variance)
	for i, c := range list {
		c.ScoreSD = deviations[i]
		c.setScore(shrunk[i], x.Units)
	}
}

// AddWider adds the triples and wider tables to score, at most so many of each: the narrowest, and of those the ones whose
// pairs scored highest.
func (x *Candidates) AddWider(triples, wide int) {
	inside := maps.Clone(x.ByPair)
	x.Triples = x.wider(x.Targets.Triples, triples, inside)
	x.Wide = x.wider(x.Targets.Wide, wide, inside)
	if wide < len(x.Targets.Wide) { // triples stand for what is not scored
		for _, t := range x.Triples {
			t.own = t.weight
		}
	}
}

// wider returns candidates for at most so many targets of three and more columns. It knows all narrower
// ones by their cliques, to which it adds.
func (x *Candidates) wider(targets []Target, most int, narrower map[string]*Candidate) (scored []*Candidate) {
	promise := map[*Candidate]float64{}
	for _, t := range targets {
		if c := NewCandidate(x.law, x.Merged.Sizes, t); c.Cost > 0 {
			for _, pair := range marginal.Subsets(t.Clique, 2) {
				promise[c] += x.ByPair[pair.Key()].Score // exists, as no attribute of the clique has one code
			}
			scored = append(scored, c)
		}
	}
	slices.SortStableFunc(scored, func(a, b *Candidate) int { return len(a.Clique) - len(b.Clique) })
	if most = capped(targets, most); len(scored) > most {
		slices.SortStableFunc(scored, func(a, b *Candidate) int {
			return cmp.Or(len(a.Clique)-len(b.Clique), cmp.Compare(promise[b], promise[a]))
		})
		scored = scored[:most]
	}
	for _, c := range scored {
		for k := 2; k < len(c.Clique); k++ {
			for _, part := range marginal.Subsets(c.Clique, k) {
				if p := narrower[part.Key()]; p != nil {
					c.inside = append(c.inside, p)
				}
			}
		}
		narrower[c.Clique.Key()] = c
	}
	return scored
}

// leastOwnScore is the part of a table's distance that is never put down to the tables inside.
const leastOwnScore = .3

// A wider table stands apart if what the tables inside do not explain of its distance is so many standard deviations of noise, and
// more than LeastDeviation: one of 4,000 does that has nothing of its own.
const wideSigmas = 3.5

// ShareAll takes the second scores, of all candidates, and divides a budget between pairs, the triples worth most, at most so
// many, and wider tables, which it returns.
func (x *Candidates) ShareAll(scores []float64, variance, budget float64, most int) []*Candidate {
	triples, wide := len(x.Pairs), len(x.Pairs)+len(x.Triples)
	x.setPriors(x.Pairs, scores[:triples], variance)
	x.setOwn(x.Triples, scores[triples:wide], variance)
	x.setOwn(x.Wide, scores[wide:], variance)
	list := x.All()
	for _, c := range list {
		c.screen()
	}
	x.law.waterfill(list, budget)
	for round := 1; round < 6 && len(list) > len(x.Pairs); round++ {
		reweigh(x.Pairs, list[len(x.Pairs):])
		x.law.waterfill(list, budget)
	}
	if most = capped(x.Targets.Triples, most); len(x.Triples) > most {
		slices.SortStableFunc(x.Triples, func(a, b *Candidate) int { return cmp.Compare(b.Cost*b.Precision, a.Cost*a.Precision) })
		list = slices.Concat(x.Pairs, x.Triples[:most], x.Wide)
		x.law.waterfill(list, budget)
	}
	return list
}

// setOwn sets priors of candidates by shrunken scores. What the tables inside explain of a distance is taken off, in quadrature. A
// wider table that stands apart keeps its own score: shrinkage would hide one among hundreds.
func (x *Candidates) setOwn(list []*Candidate, scores []float64, variance float64) {
	own, deviations := shrink(scores, variance)
	for i, c := range list {
		inside, least := 0.0, leastOwnScore*own[i]
		for _, p := range c.inside {
			inside += p.Score * p.Score
		}
		if len(c.Clique) > 3 {
			// noise of a distance is distance/√square times as much in √square
			if s := max(scores[i], 0); s*s-inside > s*max(wideSigmas*math.Sqrt(variance), LeastDeviation*x.Units) {
				own[i], c.Apart = s, true
			}
		}
		c.ScoreSD = deviations[i]
		c.setScore(max(math.Sqrt(max(own[i]*own[i]-inside, 0)), least), x.Units)
	}
}
