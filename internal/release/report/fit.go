package report

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/solver"
)

// Fit says whether the model is as near to the noisy answers as their noise lets the true table be. It costs nothing.
type Fit struct {
	Holds  bool     `json:"holds"`
	Tables int      `json:"tables"`                  // that were tested
	Off    []OffFit `json:"off,omitempty"`           // tables that are further off than noise explains, the worst first
	Share  float64  `json:"average_share,omitempty"` // the mean share of all tables; 0: the test holds, or an earlier version made the release
}

// OffFit is one of these tables.
type OffFit struct {
	Columns []string `json:"columns"`
	Times   float64  `json:"times_the_noise"` // how much larger the distance is
	Share   float64  `json:"share,omitempty"` // of the units that are in wrong cells, beyond what noise explains, at most
}

// NewFit returns what is to be said of a test of so many units; nil if nothing was tested.
func NewFit(f *solver.Fit, d *domain.Domain, units float64) *Fit {
	if f == nil {
		return nil
	}
	units = max(units, 1)
	out := &Fit{Holds: f.Holds(), Tables: f.Tables}
	if !out.Holds {
		out.Share = f.Units / units
	}
	for _, t := range f.Off {
		out.Off = append(out.Off, OffFit{t.Clique.Names(d), t.Widening(), t.Units / units})
	}
	return out
}

// tooFew reports whether there are too few privacy units for the columns and their cells: nothing else explains the error.
func (p Privacy) tooFew() bool { return p.Error.AverageTV > FewTV && (p.Fit == nil || p.Fit.Holds) }

// A test that few tables fail, and by little, is said in another word: the rows are useful but there.
const (
	fewOff    = 20  // one table in so many
	littleBy  = 3.0 // times the noise
	poorFit   = "POOR"
	partlyOff = "partly off"
)

// judged returns the word for a failed test, and the best grade that rows can have. Misses that are small among the people leave the
// figures as true as they are said to be: the fit is poor if the average error is larger than stated, or the worst table is poor itself.
func (p Privacy) judged() (word, best string) {
	f, tv, worst := p.Fit, p.Error.AverageTV, 0.0
	for _, t := range f.Off {
		worst = max(worst, t.Share)
	}
	switch grade, n := Grade(worst/worstColumn), len(f.Off); {
	case 0 < f.Share && f.Share <= worstColumn*tv && grade != Poor:
		return partlyOff, grade
	case n > 0 && n*fewOff <= f.Tables && f.Off[0].Times < littleBy:
		return partlyOff, Fair
	}
	return poorFit, Poor
}

// fitInWords says what a failed test found and what to do, without a full stop.
func (p Privacy) fitInWords() string {
	f, mend := p.Fit, "another --method may fit"
	if len(p.Constraints) > 0 { // which every method keeps
		mend = "a rule may not hold: `dapple check`"
	}
	if len(f.Off) == 0 {
		return "figures are further off than noise explains, in all tables together; " + mend
	}
	miss := "miss"
	if len(f.Off) == 1 {
		miss = "misses"
	}
	times := fmt.Sprintf("%.2g", f.Off[0].Times)
	if f.Off[0].Times >= 10 {
		times = page.Count(f.Off[0].Times)
	}
	return fmt.Sprintf("%d of %d tables %s what was released, %s by %s times its noise; %s",
		len(f.Off), f.Tables, miss, page.Short(strings.Join(f.Off[0].Columns, " × "), 32), times, mend)
}
