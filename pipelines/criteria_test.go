package pipelines

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A run says in its last lines and its statement whether the model meets the criteria, and how it ends follows from that
// alone. A thousandth of the budget pays for noise of some ten units, and the limits are 320 units from no error at all:
// the answer is wrong with a probability below 1e-50.
func TestCriteria(t *testing.T) {
	c := shop(t, 400)
	c.Epsilon, c.ExpectedRows, c.Criteria = 20, 400, "age,plan<=0.9; active <= 0.8"
	res := mustRun(t, c)
	said := res.Privacy.Criteria
	if said == nil || len(said.Limits) != 2 || !said.Met || res.Criteria() != nil {
		t.Fatalf("said %+v, and the error is %v", said, res.Criteria())
	}
	said.Met = false
	if !errors.Is(res.Criteria(), ErrCriteria) {
		t.Errorf("criteria that are not met: the error is %v", res.Criteria())
	}
	var text strings.Builder
	if err := res.WriteText(&text); err != nil || !strings.Contains(text.String(), "\ncriteria NOT met: ") {
		t.Errorf("last lines %s", text.String())
	}
}

func TestCriteriaFaults(t *testing.T) {
	for text, want := range map[string]string{
		"age<0.1":              "is not COLUMN,COLUMN<=ERROR",
		"age<=2":               "is not COLUMN,COLUMN<=ERROR",
		"nobody<=0.1":          `column "nobody" is not modelled`,
		"age,age<=0.1":         `column "age" appears twice`,
		"age,plan,active<=0.1": "is no part of a marginal of the workload",
		"age<=0.0001":          "cost more than the budget",
	} {
		c := shop(t, 20)
		c.Marginals, c.Criteria, c.ExpectedRows = 2, text, 50_000
		if _, err := ValidateRun(context.Background(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	c := shop(t, 20)
	c.Criteria = "age<=0.5"
	if _, err := ValidateRun(context.Background(), c); err == nil || !strings.Contains(err.Error(), "--expected_rows: is required with --criteria") {
		t.Errorf("criteria of an assumed number of units: %v", err)
	}
}
