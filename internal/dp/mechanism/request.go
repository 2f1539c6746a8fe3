package mechanism

import (
	"crypto/sha256"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Method is a method of Curator.
type Method string

// The methods that answer from private counts.
const (
	Total           Method = "Total"
	Measure         Method = "Measure"
	MeasureVariance Method = "MeasureVariance"
	MeasureQueries  Method = "MeasureQueries"
	SelectBlock     Method = "SelectBlock"
	SelectCell      Method = "SelectCell"
	LaplaceMaxCell  Method = "LaplaceMaxCell"
	MaxError        Method = "MaxError"
	Accept          Method = "Accept"
	MeanDistance    Method = "MeanDistance"
	FirstAbove      Method = "FirstAbove"
	Keep            Method = "Keep"
	Votes           Method = "Votes"
	Residuals       Method = "Residuals"
	Scores          Method = "Scores"
	Trees           Method = "Trees"
	Coarsen         Method = "Coarsen"
	Values          Method = "Values"
)

// Request is one call of a Curator: public values only. Fields that the method does not take are zero.
type Request struct {
	Method     Method
	Stage      string
	Round      int
	Cliques    []domain.Clique
	Precision  []float64
	Merge      query.Recoding    // of codes, before counting
	Shapes     []query.TreeShape // of Trees: one for each clique
	Workload   query.Workload
	Model      query.Answers    // counts; of Scores: one table for each clique
	Total      float64          // of the model or the release before, counts
	Noise      float64          // variance (counts²) or Laplace scale (counts) if it is given; of FirstAbove and Keep the threshold
	From       int              // of FirstAbove: the answer to begin with, counted over the workload; of Values the count at most which they are dropped
	Of         []query.ValuesOf // of Values
	Part       dp.Share         // of Values: of the ledger's ValuesDelta
	Cell       query.Cell       // of Keep
	Choice     []int32          // of Votes: by cell of the universe, the candidate that its records vote for
	Candidates int              // of Votes
	Limits     []float64        // of Accept: the largest error allowed in each marginal, counts
	Share      dp.Share
}

// Release is the result of a call: the field of its method is set.
type Release struct {
	Total        query.Total
	Measurements []query.Measurement
	Block        query.Block
	Cell         query.Cell
	MaxError     query.MaxError
	MeanDistance query.MeanDistance
	Scores       query.Scores
	Trees        []query.Tree
	Values       []query.FoundValues
	Accepted     bool
}

// Call is a request with the event charged for it and the release drawn: public values only.
type Call struct {
	Request Request
	Event   accountant.Event // zero if nothing was charged
	Release Release
}

// Recorder keeps the calls of a Curator, in order.
type Recorder struct{ Calls []Call }

func (r *Recorder) record(c Call) {
	if r == nil {
		return
	}
	c.Request.Model = cloneAnswers(c.Request.Model)
	c.Request.Cliques = slices.Clone(c.Request.Cliques)
	c.Request.Precision = slices.Clone(c.Request.Precision)
	c.Request.Shapes = slices.Clone(c.Request.Shapes)
	c.Request.Limits = slices.Clone(c.Request.Limits)
	c.Request.Choice = slices.Clone(c.Request.Choice)
	c.Request.Of = slices.Clone(c.Request.Of)
	for i := range c.Request.Of {
		c.Request.Of[i].Standing = slices.Clone(c.Request.Of[i].Standing)
	}
	c.Request.Merge = slices.Clone(c.Request.Merge)
	for a, codes := range c.Request.Merge {
		c.Request.Merge[a] = slices.Clone(codes)
	}
	c.Release = c.Release.clone()
	r.Calls = append(r.Calls, c)
}

// clone returns a copy that shares no memory: callers may modify what they receive.
func (r Release) clone() Release {
	r.Block.Signs = slices.Clone(r.Block.Signs)
	r.Scores.Values = slices.Clone(r.Scores.Values)
	r.Measurements = slices.Clone(r.Measurements)
	for i := range r.Measurements {
		r.Measurements[i].Values = slices.Clone(r.Measurements[i].Values)
	}
	r.Values = slices.Clone(r.Values)
	for i := range r.Values {
		r.Values[i].Values = slices.Clone(r.Values[i].Values)
	}
	r.Trees = slices.Clone(r.Trees)
	for i := range r.Trees {
		r.Trees[i].Nodes = slices.Clone(r.Trees[i].Nodes)
	}
	return r
}

func cloneAnswers(a query.Answers) query.Answers {
	a = slices.Clone(a)
	for i := range a {
		a[i] = slices.Clone(a[i])
	}
	return a
}

// Digest returns a hash of the whole request: equal for requests that are equal bit by bit.
func (r Request) Digest() [sha256.Size]byte {
	in := noise.NewInputs().Text(string(r.Method)).Text(r.Stage).Int64(int64(r.Round))
	in.Int64s([]int64{r.Share.Num, r.Share.Den, bits(r.Total), bits(r.Noise), int64(r.From), int64(r.Cell.Marginal), int64(r.Cell.Cell), int64(r.Cell.Sign), int64(r.Candidates)})
	addCliques(in, r.Cliques)
	addCliques(in, r.Workload.Cliques())
	for _, n := range r.Workload.Sizes {
		in.Int64(int64(n))
	}
	for _, m := range r.Workload.Marginals {
		in.Text(m.Queries.Fingerprint())
	}
	addFloats(in, r.Precision)
	addFloats(in, r.Limits)
	addChoice(in, r.Choice)
	in.Int64s([]int64{r.Part.Num, r.Part.Den, int64(len(r.Of))})
	for _, of := range r.Of {
		in.Int64s([]int64{int64(of.Column), int64(of.Prefix), int64(len(of.Standing))})
		for _, text := range of.Standing {
			in.Text(text)
		}
	}
	addRecoding(in, r.Merge)
	for _, s := range r.Shapes {
		in.Int64s(append([]int64{int64(s.Values), int64(s.Codes())}, ints(s.Own)...))
	}
	for _, m := range r.Model {
		addFloats(in, m)
	}
	return in.Sum()
}

// Digest returns a hash of the whole release.
func (r Release) Digest() [sha256.Size]byte {
	in := noise.NewInputs()
	addFloats(in, []float64{r.Total.Units, r.Total.Variance, r.MaxError.Counts, r.MaxError.Variance, r.MeanDistance.Counts, r.MeanDistance.Variance})
	in.Int64s([]int64{int64(r.Block.Marginal), int64(r.Cell.Marginal), int64(r.Cell.Cell), int64(r.Cell.Sign)})
	in.Int64s(ints(r.Block.Signs))
	if r.Accepted {
		in.Text("accepted")
	}
	for _, m := range r.Measurements {
		in.Text(m.Clique.Key())
		addFloats(in, append(slices.Clone(m.Values), m.Variance))
	}
	addFloats(in, append(slices.Clone(r.Scores.Values), r.Scores.Variance))
	for _, f := range r.Values {
		in.Int64s([]int64{int64(f.Column), int64(f.Prefix), bits(f.Variance), bits(f.Threshold), int64(len(f.Values))})
		for _, v := range f.Values {
			in.Text(v.Text).Int64(bits(v.Count))
		}
	}
	for _, t := range r.Trees {
		in.Int64s(append([]int64{int64(t.Shape.Values), int64(t.Shape.Codes()), bits(t.Variance)}, ints(t.Shape.Own)...))
		for _, n := range t.Nodes {
			in.Int64s([]int64{int64(n.Level), int64(n.Index), bits(n.Difference)})
		}
	}
	return in.Sum()
}

func bits(x float64) int64 { return int64(math.Float64bits(x)) }

func ints[T int | int8 | domain.Code](list []T) []int64 {
	return lists.Of(list, func(x T) int64 { return int64(x) })
}

func addFloats(in *noise.Inputs, list []float64) {
	ints := lists.Of(list, bits)
	in.Int64s(ints)
}

func addCliques(in *noise.Inputs, cliques []domain.Clique) {
	in.Int64(int64(len(cliques)))
	for _, c := range cliques {
		in.Text(c.Key())
	}
}

func addRecoding(in *noise.Inputs, r query.Recoding) {
	in.Int64(int64(len(r)))
	for _, codes := range r {
		in.Int64s(ints(codes))
	}
}
