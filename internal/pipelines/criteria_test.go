package pipelines

import (
	"errors"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A run says in its last lines and its statement whether the model meets the criteria, and how it ends follows from that
// alone. A thousandth of the budget pays for noise of some ten units, and the limits are 320 units from no error at all:
// the answer is wrong with a probability below 1e-50.
func TestCriteria(t *testing.T) {
	c := shop(t, 400)
	c.Epsilon, c.ExpectedRows, c.Criteria = 20, 400, "age,plan<=0.9; active <= 0.8"
	res := mustRun(t, c)
	said := res.Privacy.Criteria
	must.Need(t, said != nil && len(said.Limits) == 2 && said.Met && res.Criteria() == nil, "said %+v, and the error is %v", said, res.Criteria())
	said.Met = false
	must.Hold(t, errors.Is(res.Criteria(), ErrCriteria), "criteria that are not met: the error is %v", res.Criteria())
	var text strings.Builder
	err := res.WriteText(&text)
	must.Hold(t, err == nil && strings.Contains(text.String(), "criteria NOT met: "), "last lines %s", text.String())
}
