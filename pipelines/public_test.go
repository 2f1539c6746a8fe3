package pipelines

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/solver"
)

// publicFile writes a table that is declared public, and returns its name.
func publicFile(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "open.csv")
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// A run with a public table says in statement, last lines and page what was public. What its rows hold is in no part of
// the request's promise: ledger and ε are those of a run without it. Another table is another request.
func TestPublicRun(t *testing.T) {
	c := shop(t, 400)
	c.SampleSeed, c.HasSampleSeed = 1, true
	alone, err := ValidateRun(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Public = publicFile(t, "plan,age,active\nbasic,20,true\npro,30,false\nbasic,20,true\n")
	with, err := ValidateRun(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if alone.fingerprint() == with.fingerprint() {
		t.Error("a request with a public table has the fingerprint of one without")
	}
	res := mustRun(t, c)
	p := res.Privacy.Public
	if p == nil || p.Rows != 3 || p.Table != filepath.Base(c.Public) || len(p.SHA256) != 64 {
		t.Fatalf("the statement says %+v", p)
	}
	if l := res.Privacy.Ledger; len(l) != 2 || l[1].Stage != solver.ErrorStage || res.Privacy.AchievedEpsilon > 1 {
		t.Errorf("ledger %+v", res.Privacy.Ledger)
	}
	var text strings.Builder
	if err := res.WriteText(&text); err != nil || !strings.Contains(text.String(), "\npublic  3 rows of open.csv, declared public") {
		t.Errorf("last lines %s", text.String())
	}
	page, err := os.ReadFile(filepath.Join(res.Written.Release, publish.ReportFile))
	if err != nil || !strings.Contains(string(page), "declared public: no guarantee covers them") {
		t.Errorf("the page does not say what was public (%v)", err)
	}
}

func TestPublicFaults(t *testing.T) {
	rows := "plan,age,active\nbasic,20,true\n"
	for want, change := range map[string]func(*Config){
		"no such file":             func(c *Config) { c.Public += ".gone" },
		`has no column "active"`:   func(c *Config) { c.Public = publicFile(t, "plan,age\nbasic,20\n") },
		"without rows":             func(c *Config) { c.Public = publicFile(t, "plan,age,active\n") },
		`column "age" of row 2`:    func(c *Config) { c.Public = publicFile(t, rows+"pro,old,true\n") },
		`column "active" of row 3`: func(c *Config) { c.Public = publicFile(t, rows+"pro,30,true\npro,30\n") },
		"is the private table":     func(c *Config) { c.Public = c.Input },
		"has no use for a public table; leave that out, or use method rake, dpam": func(c *Config) { c.Method = "dpfw" },
		"needs-public: it needs a table that anybody may see":                     func(c *Config) { c.Public, c.Method = "", "needs-public" },
	} {
		c := shop(t, 20)
		c.Public = publicFile(t, rows)
		change(&c)
		if _, err := ValidateRun(context.Background(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	c := shop(t, 20)
	c.Public, c.Method = publicFile(t, "plan,age\nbasic,20\n"), "needs-public"
	if _, err := ValidateRun(context.Background(), c); err == nil || strings.Contains(err.Error(), "--method") {
		t.Errorf("of a table that cannot be read, and a method that needs one: %v", err)
	}
}

// A method of others that cannot do without a public table.
func init() {
	solver.Register(solver.Method{
		Name: "needs-public", Public: true,
		Accounting: func(dp.Epsilon, dp.Delta) dp.Accounting { return dp.ZCDP },
		Accesses: func(p solver.Problem) ([]solver.Access, error) {
			if p.Public == nil {
				return nil, errors.New("needs-public: it needs a table that anybody may see")
			}
			return []solver.Access{{Stage: "total", Kind: dp.DiscreteGaussian, Count: 1, Share: dp.ShareOf(1, 1), Coordinates: 1}}, nil
		},
		Solve: func(context.Context, solver.Problem, solver.Curator) (*solver.Result, error) {
			return nil, errors.New("needs-public: it is for plans alone")
		},
	})
}
