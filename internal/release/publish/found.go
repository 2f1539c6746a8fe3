package publish

import (
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/transforms/discover"
)

// ChargeOf is what a domain file says of the cost of its finding: run is all that it may spend. id names the finding, which
// a budget book charges once. privacyID is whom it protects; empty: every record is a unit.
func ChargeOf(id, privacyID string, run accountant.Run) schema.Charge {
	return schema.Charge{
		ID: id, PrivacyID: privacyID, Neighbouring: run.Neighbouring.Flag(), Epsilon: float64(run.Epsilon), Delta: float64(run.Delta),
		Accounting: run.Accounting.String(), Loss: run.Loss.RatString(), ValuesDelta: float64(run.ValuesDelta), NoisyNumbers: run.Coordinates,
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
	for _, c := range found.LeftOut() {
		left[c.Name] = c.Left
	}
	return open.Fill(text, max(1, found.MaxRows), left, charge)
}
