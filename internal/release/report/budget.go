package report

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// odds is what somebody can come to believe at most.
type odds struct{ Before, Most, Least string }

// oddsOf returns what a belief becomes at most and at least: its odds change by the factor exp(ε).
func oddsOf(epsilon float64) (list []odds) {
	for _, p := range []float64{.01, .1, .5, .9} {
		list = append(list, odds{page.Percent(p, 0), belief(p, epsilon), belief(p, -epsilon)})
	}
	return list
}

// belief writes the probability whose odds are exp(ε) times the odds of p.
func belief(p, epsilon float64) string {
	q := 1 / (1 + (1-p)/p*math.Exp(-epsilon))
	if q > .995 && q < 1 {
		return "above" + "\u00a0" + page.Percent(.995, 1)
	}
	return page.Figures(q, 2)
}

// guess says how often the best guess whether somebody is in the table is right.
func guess(p Privacy) string {
	if p.Mu > 0 {
		return page.Figures(upTo(.5*math.Erfc(-p.Mu/(2*math.Sqrt2)), 3), 3)
	}
	e := math.Exp(p.AchievedEpsilon)
	return page.Figures(upTo(min(1, (e+p.Delta)/(1+e)), 3), 3)
}

// upTo rounds a share up to so many digits.
func upTo(x float64, digits int) float64 {
	unit := math.Pow10(int(math.Ceil(math.Log10(x))) - digits)
	return min(1, math.Ceil(x/unit)*unit)
}

// charge is a line of the ledger for people.
type charge struct {
	accountant.Line
	Mechanism string
	Noise     string
	Share     float64 // of the whole budget
	Loss      string  // exact
}

// mechanisms are the names of the kinds of charges.
var mechanisms = map[string]string{
	"discrete_gaussian": "discrete Gaussian noise",
	"discrete_laplace":  "discrete Laplace noise",
	"exponential":       "exponential mechanism (a choice)",
	"block_exponential": "exponential mechanism (a choice of a marginal)",
	"above_threshold":   "sparse vector technique (a search for a poor answer)",
	"laplace_max":       "report noisy max with Laplace noise (a choice)",
	"values_above":      "noisy counts above a threshold",
}

func charges(p Privacy) (list []charge) {
	capacity, _ := new(big.Rat).SetString(p.Capacity)
	for _, l := range p.Ledger {
		c := charge{Line: l, Mechanism: mechanismOf(l.Kind), Noise: noiseOf(l.Scale), Loss: l.Rho + l.Epsilon}
		if loss, ok := new(big.Rat).SetString(c.Loss); ok && capacity != nil && capacity.Sign() > 0 {
			c.Share, _ = loss.Quo(loss, capacity).Float64()
		}
		list = append(list, c)
	}
	return list
}

func mechanismOf(kind string) string {
	if name := mechanisms[kind]; name != "" {
		return name
	}
	return kind
}

var (
	times    = regexp.MustCompile(`×\d+`)
	fraction = regexp.MustCompile(`\d+(?:/\d+)?`)
)

// noiseOf writes the scale of a line's noise in counts: the standard deviation of Gaussian noise.
func noiseOf(scale string) string {
	name, text, _ := strings.Cut(scale, "=")
	var all []float64
	for _, s := range fraction.FindAllString(times.ReplaceAllString(text, ""), -1) {
		if r, ok := new(big.Rat).SetString(s); ok {
			x, _ := r.Float64()
			if name == "sigma2" {
				x = math.Sqrt(x)
			}
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return scale
	}
	symbol := "b"
	if name == "sigma2" {
		symbol = "σ"
	}
	low, high := fmt.Sprintf("%.3g", slices.Min(all)), fmt.Sprintf("%.3g", slices.Max(all))
	if low == high {
		return symbol + " = " + low
	}
	return fmt.Sprintf("%s = %s to %s", symbol, low, high)
}

// numbered ends the stage of a method that gives each of its rounds a stage.
var numbered = regexp.MustCompile(` \d+$`)

// spent is the bar of the budget: the stages with their rounds together, the largest first.
func spent(list []charge) page.Split {
	s, left := page.Split{}, 1.0
	for _, c := range list {
		stage := numbered.ReplaceAllString(c.Stage, "")
		at := slices.Index(s.Labels, stage)
		if at < 0 {
			at, s.Labels, s.Shares = len(s.Labels), append(s.Labels, stage), append(s.Shares, 0)
		}
		s.Shares[at] += c.Share
		left -= c.Share
	}
	s.Summary = fmt.Sprintf("The privacy budget by stage; %s of it was not spent", page.Percent(max(0, left), 1))
	return s.Sorted()
}

// Mechanisms lists the mechanisms of a run, each once.
func (p Privacy) Mechanisms() (list []string) {
	for _, l := range p.Ledger {
		if m := mechanismOf(l.Kind); !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// Found is what it has cost to find the domain, before the run and apart from its ε and δ.
type Found struct {
	ID         string  `json:"id"` // as in the domain file
	Epsilon    float64 `json:"epsilon"`
	Delta      float64 `json:"delta"`
	Accounting string  `json:"accounting"`
	Loss       string  `json:"loss"` // exact, a/b: rho or μ²/2
	// TogetherEpsilon and TogetherDelta are what the finding and this release promise together.
	TogetherEpsilon float64 `json:"together_epsilon"`
	TogetherDelta   float64 `json:"together_delta"`
}

// String says it in a sentence without its full stop.
func (f Found) String() string {
	return fmt.Sprintf("the domain was found with ε = %g and δ = %g, and all releases that use it share that: with this one it is ε = %g and δ = %.4g", f.Epsilon, f.Delta, math.Ceil(1e4*f.TogetherEpsilon)/1e4, f.TogetherDelta)
}

// Book is the budget book that a release is charged to.
type Book struct {
	DataSet string  `json:"data_set"` // as its owner calls it
	Epsilon float64 `json:"epsilon"`  // of all releases that are entered there, together
	Delta   float64 `json:"delta"`
	// Entry and SHA256 belong to the entry that charged the release. A book that has them no more has lost its end.
	Entry  int    `json:"entry,omitempty"`
	SHA256 string `json:"entry_sha256,omitempty"`
}

// String says it in a sentence without its full stop.
func (b Book) String() string {
	as := ""
	if b.Entry > 0 {
		as = fmt.Sprintf(" as entry %d", b.Entry)
	}
	return fmt.Sprintf("this release is entered in the budget book of %s%s: all that is entered there keeps ε = %g and δ = %g together; losses of other releases add", b.DataSet, as, b.Epsilon, b.Delta)
}
