package plan

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/report"
)

// WriteDetails writes all that is known of the plan, for a terminal.
func (p *Plan) WriteDetails(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "verdict   %s\n", p.verdict())
	writeDomain(&b, p)
	writeWorkload(&b, p)
	writeMethod(&b, p)
	writeCharges(&b, p)
	writeFigures(&b, p)
	for _, note := range p.Notes {
		fmt.Fprintln(&b, note)
	}
	_, err := io.WriteString(w, wrap(b.String()))
	return err
}

func writeDomain(b *strings.Builder, p *Plan) {
	unit := "every record is a privacy unit"
	if p.Domain.PrivacyID != "" {
		unit = "privacy unit: all records with one " + p.Domain.PrivacyID
		if p.Domain.Events == nil {
			unit += "; one of them is used"
		}
	}
	universe := fmt.Sprintf("%.4g cells", p.Universe)
	if math.IsInf(p.Universe, 1) {
		universe = "more than 1e308 cells"
	}
	fmt.Fprintf(b, "domain    %d columns, %s; %s\n", p.Domain.Len(), universe, unit)
	if e := p.Domain.Events; e != nil {
		fmt.Fprintf(b, "          people and their rows: of each person %s; of each row the others; at most %d rows a person\n", strings.Join(ofPeople(e), ", "), e.MaxRows)
		if e.NoRows {
			b.WriteString("          people without rows exist: people and their columns are those of --people_input, and rows of others are not used\n")
		}
		b.WriteString("          each person weighs 1 in every table, whatever the number of rows; rows are drawn for each person at the end\n")
		if q := e.Sequence; q != nil {
			fmt.Fprintf(b, "          rows follow each other by %s, which costs %d columns more: its first value, the gap in its place%s; %s itself is computed\n",
				q.Column, 1+len(q.Previous), report.RowBefore(e), q.Column)
		}
	}
	writeColumns(b, p.Domain.Attributes)
	if n := len(p.Domain.Recorded().StructuralZeros); n > 0 {
		fmt.Fprintf(b, "          impossible combinations declared: %d; such records get probability 0, which costs nothing\n", n)
	}
	var computed, keys []string
	for _, d := range p.Domain.Derived {
		computed = append(computed, d.Column.Name)
	}
	for _, g := range p.Domain.Generated {
		keys = append(keys, g.Column)
	}
	if len(computed) > 0 {
		fmt.Fprintf(b, "          computed in every row: %s; not modelled, which costs nothing\n", strings.Join(computed, ", "))
	}
	if len(keys) > 0 {
		fmt.Fprintf(b, "          made up for every row: %s; never from the data\n", strings.Join(keys, ", "))
	}
}

// ofPeople lists what is modelled of a person; the last columns are made of all of a person's records.
func ofPeople(e *domain.Events) []string {
	list := append(slices.Clone(e.Person), domain.RowsPerPerson)
	for _, name := range e.Usual {
		list = append(list, "the usual "+name)
	}
	if e.Sequence != nil {
		list = append(list, "the first "+e.Sequence.Column)
	}
	return list
}

func writeWorkload(b *strings.Builder, p *Plan) {
	w := p.Workload
	if w.Linear > 0 {
		fmt.Fprintf(b, "workload  %d linear queries and the cells of marginals, %d answers\n", w.Linear, w.Cells)
		return
	}
	fmt.Fprintf(b, "workload  %d marginals, %d cells; ", w.Marginals, w.Cells)
	if p.Adaptive() {
		fmt.Fprintf(b, "wanted: the %d that no other contains, %d cells; noisy scores decide which are measured\n", w.Measured, w.MeasCells)
	} else {
		fmt.Fprintf(b, "measured: the %d that no other contains, %d cells\n", w.Measured, w.MeasCells)
	}
	if w.Target != "" {
		fmt.Fprintf(b, "          those with %s weigh %d times as much as others\n", w.Target, query.TargetWeight)
	}
	if w.Narrowed != "" {
		fmt.Fprintf(b, "          %s\n", w.Narrowed)
	}
	if w.Omitted > 0 {
		fmt.Fprintf(b, "          %d marginals left out: more cells than --max_cells; the model answers them without measuring\n", w.Omitted)
	}
	if w.Unlinked != "" {
		fmt.Fprintf(b, "          no marginal joins %s; their relations are modelled through other columns\n", w.Unlinked)
	}
	if w.TooWide > 0 {
		measures := "no method measures them, as the domain has too many cells for those that could"
		if w.Wide != "" {
			measures = "--method=" + w.Wide + " measures them"
		}
		fmt.Fprintf(b, "          %d marginals have more columns than %s measures; it answers them from the marginals inside; %s\n", w.TooWide, p.Method, measures)
	}
	if w.TooLarge > 0 {
		fmt.Fprintf(b, "          %d marginals have more cells than %s measures; it links their columns through smaller ones\n", w.TooLarge, p.Method)
	}
}

func writeMethod(b *strings.Builder, p *Plan) {
	fmt.Fprintf(b, "method    %s: %s\n", p.Method, p.Why)
	if p.Limits != "" {
		fmt.Fprintf(b, "          %s\n", p.Limits)
	}
	if p.Suited != "" {
		fmt.Fprintf(b, "          better suited to this workload: %s\n", p.Suited)
	}
	b.WriteString("          alternatives (predicted error, good to a factor of two")
	if p.Adaptive() {
		b.WriteString("; scores of the run may change it")
	}
	b.WriteString("):\n")
	for i, a := range p.Alternatives {
		if a.Refusal != "" {
			why := a.Refusal
			if i > 0 && why == strings.ReplaceAll(p.Alternatives[i-1].Refusal, p.Alternatives[i-1].Method, a.Method) {
				why = "as " + p.Alternatives[i-1].Method
			}
			fmt.Fprintf(b, "  %-12s does not apply: %s\n", a.Method, why)
			continue
		}
		fmt.Fprintf(b, "  %-12s average TV %s, %s CPU; %s\n", a.Method, foretold(a.AverageTV), seconds(a.Seconds), a.Summary)
	}
	if len(p.Comparisons) > 0 {
		fmt.Fprintf(b, "  to compare with: %s\n", strings.Join(p.Comparisons, ", "))
	}
}

// foretold writes a predicted total variation, or that there is none.
func foretold(x float64) string {
	if math.IsNaN(x) {
		return "not predicted"
	}
	return "about " + tv(x)
}

func writeCharges(b *strings.Builder, p *Plan) {
	s := p.Charges
	fmt.Fprintf(b, "privacy   ε = %g, δ = %g, %s; %s accounting; the charges below reach ε = %g by %s\n",
		s.Epsilon, s.Delta, s.Neighbouring, s.Accounting, s.AchievedEpsilon, s.Conversion)
	for _, line := range p.meaning() {
		fmt.Fprintf(b, "          %s\n", line)
	}
	for _, l := range folded(s.Ledger) {
		line := fmt.Sprintf("  %-14s %5d × %-18s %-13s %-13s %s", l.Stage, l.Count, l.Kind, l.Sensitivity, l.Scale, p.asked(l.Stage))
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

// numbered is the stage of a method that gives each of its rounds a stage.
var numbered = regexp.MustCompile(`^(.* )([0-9]+)$`)

// folded returns the ledger for people: stages that differ in their number alone are one line, with its first and last
// noise.
func folded(ledger []accountant.Line) (list []accountant.Line) {
	at, last := map[string]int{}, map[string]accountant.Line{}
	for _, l := range ledger {
		l.Scale = decimal(l.Scale)
		stem := numbered.FindStringSubmatch(l.Stage)
		if stem == nil {
			list = append(list, l)
			continue
		}
		key := stem[1] + l.Kind + l.Sensitivity
		i, known := at[key]
		if !known {
			at[key], list = len(list), append(list, l)
			continue
		}
		list[i].Count += l.Count
		last[key] = l
	}
	for key, l := range last {
		first := &list[at[key]]
		first.Stage += "…" + numbered.FindStringSubmatch(l.Stage)[2]
		if l.Scale != first.Scale {
			_, scale, _ := strings.Cut(l.Scale, "=")
			first.Scale += " … " + scale
		}
	}
	return list
}

func writeFigures(b *strings.Builder, p *Plan) {
	assumed := "as given"
	if p.Like {
		assumed = "as given, or of the release that the table is to be like"
	}
	if !p.UnitsGiven {
		assumed = "ASSUMED, and the error depends on it; --expected_rows=N takes what is publicly known"
	}
	fmt.Fprintf(b, "units     %.0f (%s)\n", p.Problem.Units, assumed)
	writeEvents(b, p)
	if math.IsNaN(p.AverageTV) {
		b.WriteString("error     no prediction for this method\n")
	} else {
		fmt.Fprintf(b, "error     average TV of those %d marginals %s, likely within %s and %s", p.Workload.Measured, tv(p.AverageTV), tv(p.LowTV), tv(p.HighTV))
		if !math.IsNaN(p.NoiseBound) {
			fmt.Fprintf(b, "; noise on any cell at most %s of the units", tv(p.NoiseBound))
		}
		b.WriteString("\n          TV, total variation: the part of the rows that would have to change for a marginal to be right\n")
		if p.Like {
			scaled := ""
			if p.Scaled {
				scaled = ", scaled to the error that it measured"
			}
			fmt.Fprintf(b, "          (of a table like the release that --like names%s)\n", scaled)
		}
		if !math.IsNaN(p.LeastTV) {
			less := ""
			if p.LeastTV < p.LowTV {
				less = ": if its columns hardly vary expect less, down to " + tv(p.LeastTV)
			}
			fmt.Fprintf(b, "          (of a typical table; nothing is known of this one%s; "+
				"--like=DIR takes an earlier release, even one at a small ε, in place of it, and is closer)\n", less)
		}
	}
	writeRare(b, p)
	writeAimed(b, p)
	fmt.Fprintf(b, "cost      whole run %s and %s CPU in one process, sampling and writing included\n", Bytes(p.RunBytes), seconds(p.RunSeconds))
	fmt.Fprintf(b, "          solve %s and %s CPU; counts %s", Bytes(p.SolveBytes), seconds(p.SolveSeconds), Bytes(p.CountBytes))
	if p.RowsSeconds >= leastSeconds {
		fmt.Fprintf(b, "; rows %s CPU", seconds(p.RowsSeconds))
	}
	b.WriteString("\n")
	writeKept(b, p)
	if e := p.Problem.Domain.Events; e != nil {
		fmt.Fprintf(b, "output    %.0f people with as many rows as are released, at most %d each; about %s for each row that they have on average\n", p.Rows, e.MaxRows, Bytes(p.FileBytes))
	} else {
		fmt.Fprintf(b, "output    %.0f rows, about %s\n", p.Rows, Bytes(p.FileBytes))
	}
}

// writeKept says that records are kept.
func writeKept(b *strings.Builder, p *Plan) {
	if p.Kept == "" {
		return
	}
	fmt.Fprintf(b, "          counted from kept records, because %s", p.Kept)
	if p.Problem.Domain.Events != nil {
		b.WriteString("; that memory for each row that a person has on average")
	}
	b.WriteString("\n")
}

// writeAimed writes the errors at other ε and numbers of units, and the ε for a wanted error.
func writeAimed(b *strings.Builder, p *Plan) {
	var units []string
	for _, x := range p.ByUnits {
		units = append(units, fmt.Sprintf("%s of %.0f", tv(x.TV), x.Units))
	}
	if len(p.Curve) > 0 {
		fmt.Fprintf(b, "          %s\n", p.curve())
	}
	if p.FinerTV > finer*p.AverageTV {
		fmt.Fprintf(b, "          %s\n", p.finer())
	}
	if len(units) > 0 {
		fmt.Fprintf(b, "          of other numbers of units: %s\n", strings.Join(units, ", "))
	}
	if p.Aimed != nil {
		fmt.Fprintf(b, "target    %s\n", p.target())
	}
}

// curve writes the errors at other ε.
func (p *Plan) curve() string {
	var list []string
	for _, x := range p.Curve {
		list = append(list, fmt.Sprintf("%s at %g", percent(x.TV), float64(x.Epsilon)))
	}
	head := "at other ε: "
	if p.Domain.Learns() {
		head = "in the same bins at other ε: "
	}
	return head + strings.Join(list, ", ")
}

// target writes the ε for a wanted error.
func (p *Plan) target() string {
	a := p.Aimed
	return fmt.Sprintf("ε = %g, likely between %s and %s, for an error of %s in %s", float64(a.Epsilon), epsilonEnd(a.Low), epsilonEnd(a.High), percent(a.TV), a.Target)
}

func epsilonEnd(x float64) string {
	if math.IsNaN(x) {
		return fmt.Sprintf("more than %g", float64(MostEpsilon))
	}
	return fmt.Sprintf("%.3g", x)
}

var fraction = regexp.MustCompile(`[0-9]+/[0-9]+`)

// decimal writes the exact fractions of a ledger's line with four digits, for people.
func decimal(exact string) string {
	return fraction.ReplaceAllStringFunc(exact, func(text string) string {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			return text
		}
		x, _ := r.Float64()
		return fmt.Sprintf("%.4g", x)
	})
}

// leastSeconds is the least time that is told.
const leastSeconds = 0.1

// seconds writes a time for people.
func seconds(s float64) string {
	if math.IsNaN(s) {
		return "unknown"
	}
	if s < leastSeconds {
		return "less than 0.1 s"
	}
	if s < 60 {
		return fmt.Sprintf("about %.2g s", s)
	}
	return fmt.Sprintf("about %.2g min", s/60)
}

// Bytes writes a number of bytes for people; NaN is "unknown".
func Bytes(x float64) string {
	if math.IsNaN(x) {
		return "unknown"
	}
	unit := 0
	for x >= 1000 && unit < 4 {
		x /= 1000
		unit++
	}
	return fmt.Sprintf("%.3g %s", x, [...]string{"B", "kB", "MB", "GB", "TB"}[unit])
}
