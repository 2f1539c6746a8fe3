package publish

import (
	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
)

// ChargeOf is what a domain file says of the cost of its finding: all that it may spend, as it was drawn. A budget book charges
// its ID once.
func ChargeOf(found *discover.Found) (schema.Charge, error) {
	run, _, err := found.Prior.Runs(0)
	if err != nil {
		return schema.Charge{}, err
	}
	return schema.Charge{
		ID: found.Prior.ID, PrivacyID: found.PrivacyID, Neighbouring: run.Neighbouring.Flag(), Epsilon: float64(run.Epsilon), Delta: float64(run.Delta),
		Accounting: run.Accounting.String(), Loss: run.Loss.RatString(), ValuesDelta: float64(run.ValuesDelta), NoisyNumbers: run.Coordinates,
	}, nil
}

// RunOf is the loss that a domain file says its finding had.
func RunOf(c *schema.Charge) (accountant.Run, error) {
	n, err := dp.ParseNeighbouring(c.Neighbouring)
	if err != nil {
		return accountant.Run{}, err
	}
	return (&book.Charge{
		Payer: book.Payer{Key: c.ID}, Epsilon: dp.Epsilon(c.Epsilon), Delta: dp.Delta(c.Delta), Accounting: c.Accounting, Loss: c.Loss,
		Coordinates: c.NoisyNumbers, ValuesDelta: dp.Delta(c.ValuesDelta),
	}).Of(n)
}

// FoundBefore is what a statement says of a finding with a budget of its own, of an ID, and of the release that follows it.
func FoundBefore(id string, found, release accountant.Run) *report.Found {
	epsilon, delta := release.Together(found)
	return &report.Found{
		ID: id, Epsilon: float64(found.Epsilon), Delta: float64(found.Delta), Accounting: found.Accounting.String(), Loss: found.Loss.RatString(),
		TogetherEpsilon: float64(epsilon), TogetherDelta: float64(delta),
	}
}

// OpenColumns are the open columns of a file as they are found.
func OpenColumns(open []schema.OpenColumn) (columns []discover.Column) {
	for _, o := range open {
		c := discover.Column{Name: o.Name, Type: o.Type, Values: o.Values, Prefixes: o.Prefixes, Min: o.Min, Max: o.Max}
		if c.Unit = o.Unit; o.Resolution == "" {
			c.Unit = 0
		} else if o.Type.Facts().Day == 0 {
			c.Step = o.Resolution
		}
		columns = append(columns, c)
	}
	return columns
}

// OpenRows is what is to be found of the rows of people of a domain file; nil: there is no file.
func OpenRows(open *schema.Open) discover.Rows {
	switch {
	case open == nil || open.Whole && !open.Events:
		return discover.AllOfRows
	case open.Rows:
		return discover.MostRows
	}
	return discover.NoRows
}

// Complete returns the domain file of what was found: all of it, or what a file has left open with the rest as it declares
// that; nil: there is no file. csv is as found.File takes it. charge is what the finding has cost apart; nil: nothing.
func Complete(open *schema.Open, found *discover.Found, csv string, charge *schema.Charge) ([]byte, error) {
	text := found.File(csv)
	if open == nil {
		if charge != nil {
			text = append(text, charge.String()...)
		}
		return text, nil
	}
	left := map[string]string{}
	for _, c := range found.Columns {
		if c.Left != "" {
			left[c.Name] = c.Left
		}
	}
	return open.Fill(text, max(1, found.MaxRows), left, charge)
}
