package expansion

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// TestEveryTypeHasAField: a column that no field of a caller's rows is for can be of any type.
func TestEveryTypeHasAField(t *testing.T) {
	for _, typ := range domain.Types() {
		if plainTypes[typ] == nil {
			t.Errorf("%v has no row in plainTypes", typ)
		}
	}
}
