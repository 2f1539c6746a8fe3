package expansion

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestEveryTypeHasAField: a column that no field of a caller's rows is for can be of any type.
func TestEveryTypeHasAField(t *testing.T) {
	for _, typ := range domain.Types() {
		must.Hold(t, plainTypes[typ] != nil, "%v has no row in plainTypes", typ)
	}
}
