package private

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
)

// Coded is a collection of coded records, with their privacy IDs if the domain has one. Only Encode
// makes one.
type Coded struct {
	records sensitive.Collection // of *records.Batch
	domain  *domain.Domain
}

// Domain returns the domain that the records are coded in.
func (c Coded) Domain() *domain.Domain { return c.domain }
