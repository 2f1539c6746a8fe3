package publish

import (
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/io/schema"
)

// ChargeOf is what a domain file says of the cost of its finding: run is all that it may spend. id names the finding, which
// a budget book charges once. privacyID is whom it protects; empty: every record is a unit.
func ChargeOf(id, privacyID string, run accountant.Run) schema.Charge {
	return schema.Charge{
		ID: id, PrivacyID: privacyID, Neighbouring: run.Neighbouring.Flag(), Epsilon: float64(run.Epsilon), Delta: float64(run.Delta),
		Accounting: run.Accounting.String(), Loss: run.Loss.RatString(), ValuesDelta: float64(run.ValuesDelta), NoisyNumbers: run.Coordinates,
	}
}
