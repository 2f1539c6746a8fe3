package accountant

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/dapple-dp/dapple/dp"
)

// Schedule reports whether a ledger's events depended on earlier releases.
type Schedule uint8

const (
	// Adaptive means that scales or the number of events depended on earlier releases. The capacity, or what was allocated of
	// it, bounds the loss of every such run; the loss of this run bounds only itself.
	Adaptive Schedule = iota
	// Planned means that all events were fixed, with their scales, before private data were read.
	Planned
)

// String returns the schedule's name.
func (s Schedule) String() string { return [...]string{"adaptive", "planned"}[s] }

// Statement is the privacy section of a report, as plain data. Rationals are exact, in the form a/b.
type Statement struct {
	Epsilon         float64 `json:"epsilon"`          // requested
	Delta           float64 `json:"delta"`            // requested and achieved
	AchievedEpsilon float64 `json:"achieved_epsilon"` // at Delta, rounded up to 4 significant digits
	Neighbouring    string  `json:"neighbouring"`     // AddRemove or Replace
	Accounting      string  `json:"accounting"`       // zCDP, GDP or pure
	Schedule        string  `json:"schedule"`         // fixed, or adaptive within shares
	// Conversion names how AchievedEpsilon follows from the ledger: pure, zCDP, bounded-range Renyi or GDP;
	// capacity if an adaptive run is covered by the whole budget only, and "… of allocated shares" if it
	// is covered by the shares of its stages.
	Conversion string `json:"conversion"`
	// Capacity is the whole budget in the ledger's unit: rho, ε, or μ²/2 (equal to rho).
	Capacity string `json:"capacity"`
	// RhoTotal (EpsilonTotal for a pure ledger) is the sum over Ledger.
	RhoTotal     string `json:"rho_total,omitempty"`
	EpsilonTotal string `json:"epsilon_total,omitempty"` // the same of a pure ledger
	// Mu is the μ of Gaussian differential privacy, rounded up; 0 for other kinds. For an adaptive schedule it is the
	// μ of the bound on all runs.
	Mu             float64  `json:"mu,omitempty"`
	Ledger         []Line   `json:"ledger"`         // every charge, in order
	Approximations []string `json:"approximations"` // charged approximations; none is an empty list
	// Together is what this release and others of the same people, which are charged to one budget, keep. nil: no budget
	// that several releases share.
	Together *Total `json:"together,omitempty"`
}

// Total is the promise of several releases together.
type Total struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
}

// Guarantee returns the promise in one line. privacyID is the name of the column that identifies the privacy unit;
// empty: every record is a unit.
func (s Statement) Guarantee(privacyID string) string {
	verb, unit := "add or remove one", cmp.Or(privacyID, "record")
	switch {
	case s.Neighbouring != "Replace":
	case privacyID == "":
		verb = "replace one"
	default:
		verb = "replace the record of one"
	}
	promise := fmt.Sprintf("ε = %g, δ = %g, %s %s", s.Epsilon, s.Delta, verb, unit)
	if t := s.Together; t != nil {
		promise += fmt.Sprintf("; with the other releases of its pipeline ε = %g, δ = %g", t.Epsilon, t.Delta)
	}
	return promise
}

// String returns the promise in one line, without the name of the privacy unit.
func (s Statement) String() string { return s.Guarantee("privacy unit") }

// Statement describes everything charged so far. AchievedEpsilon is the least of what pure composition,
// the Rényi curves and (under GaussianOnly) the GDP curve give, and never above the requested ε; for an
// Adaptive schedule it is the ε of the allocated shares (see Allocate), or else the requested ε, since only
// these bound the loss of all its runs.
func (l *Ledger) Statement(s Schedule) Statement {
	kind := l.params.Accounting
	achieved, conversion := l.achieved(s)
	st := Statement{
		Epsilon:         float64(l.params.Epsilon),
		Delta:           float64(l.params.Delta),
		AchievedEpsilon: min(ceilDigits(achieved, 4), float64(l.params.Epsilon)),
		Neighbouring:    l.params.Neighbouring.String(),
		Accounting:      kind.String(),
		Schedule:        s.String(),
		Conversion:      conversion,
		Capacity:        l.capacity.RatString(),
		Ledger:          lines(l.events, kind),
		Approximations:  l.approximations(),
	}
	switch kind {
	case dp.Pure:
		st.EpsilonTotal = l.spent.RatString()
	case dp.GaussianOnly:
		st.Mu = l.mu()
		if s == Adaptive {
			st.Mu = muOf(l.bound())
		}
		fallthrough
	default:
		st.RhoTotal = l.spent.RatString()
	}
	return st
}

// achieved returns an ε that the charged events satisfy at the ledger's δ, and the name of its proof.
func (l *Ledger) achieved(s Schedule) (epsilon float64, conversion string) {
	if s == Adaptive {
		return l.achievedByAll()
	}
	if len(l.events) == 0 {
		return 0, "pure"
	}
	epsilon, conversion = float64(l.params.Epsilon), "capacity"
	consider := func(e float64, name string) {
		if e < epsilon {
			epsilon, conversion = e, name
		}
	}
	if sum, ok := l.pure(); ok {
		consider(sum, "pure")
	}
	if l.params.lossDelta() >= leastDelta {
		curve, name := l.curve()
		consider(curve.epsilonCeil(l.params.lossDelta()), name)
	}
	if l.params.Accounting == dp.GaussianOnly {
		consider(float64(gdpEpsilonCeil(l.mu(), l.params.Coordinates, l.params.lossDelta(), l.params.Epsilon)), "GDP")
	}
	return epsilon, conversion
}

// pure returns the sum of pure losses, rounded up; ok is false if an event has none.
func (l *Ledger) pure() (epsilon float64, ok bool) {
	sum := new(big.Rat)
	for _, e := range l.events {
		loss, err := e.Loss(dp.Pure)
		if err != nil {
			return 0, false
		}
		sum.Add(sum, times(loss, int64(e.Count)))
	}
	return floatUp(sum), true
}

// curve returns the Rényi curve of all events, and the name of the conversion that uses it.
func (l *Ledger) curve() (curve renyiCurve, name string) {
	name = "zCDP"
	var curves []renyiCurve
	rho := new(big.Rat) // of the Gaussian events: their curves are lines
	for _, e := range l.events {
		if e.gaussian() {
			rho.Add(rho, e.total(dp.ZCDP))
			continue
		}
		name = "bounded-range Renyi"
		curves = append(curves, e.curve().times(e.Count))
	}
	return sumCurves(append(curves, rhoCurve(floatUp(rho)))...), name
}

// curve returns the Rényi curve of one draw of an event that is not Gaussian.
func (e Event) curve() renyiCurve {
	if e.Kind == dp.Exponential || e.Kind == dp.BlockExponential {
		return boundedRangeCurve(floatUp(e.boundedRange()))
	}
	return pureCurve(floatUp(e.epsilon()))
}

// mu returns the μ of everything charged to a GDP ledger, rounded up.
func (l *Ledger) mu() float64 { return muOf(l.spent) }

// muOf returns the μ of a loss μ²/2, rounded up.
func muOf(loss *big.Rat) float64 { return math.Sqrt(2*floatUp(loss)) * (1 + 0x1p-50) }

// approximations lists what was charged beyond the laws of ideal mechanisms.
func (l *Ledger) approximations() []string {
	list := []string{}
	blocks := 0
	for _, e := range l.events {
		if e.Kind == dp.BlockExponential {
			blocks += e.Count
		}
	}
	if blocks > 0 {
		list = append(list, fmt.Sprintf("rounded weights of %d block selections: 2^-%d added to the r of each", blocks, blockSlackBits))
	}
	if d := l.params.ValuesDelta; d > 0 {
		list = append(list, fmt.Sprintf("values above a threshold, which one record alone may pass: %.3g taken out of delta", float64(d)))
	}
	if l.params.Accounting == dp.GaussianOnly {
		list = append(list, fmt.Sprintf("discrete in place of continuous noise on %d coordinates: %.3g taken out of delta",
			l.params.Coordinates, discreteDelta(float64(l.params.Epsilon), l.params.Coordinates)))
	}
	return list
}

// ceilDigits rounds x ≥ 0 up to the given number of significant decimal digits.
func ceilDigits(x float64, digits int) float64 {
	if x == 0 {
		return 0
	}
	exponent := int(math.Floor(math.Log10(x))) - digits + 1
	for n := int64(x / math.Pow10(exponent)); ; n++ {
		y, err := strconv.ParseFloat(fmt.Sprintf("%de%d", n, exponent), 64)
		if err != nil {
			panic("accountant: a decimal number does not parse")
		}
		if y >= x {
			return y
		}
	}
}
