package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Meaning puts ε and δ into words and figures for people.
type Meaning struct {
	BeliefBefore float64 `json:"belief_before"`     // ½
	BeliefAtMost float64 `json:"belief_at_most"`    // what it can become: e^ε/(1+e^ε)
	DeltaPerUnit float64 `json:"delta_by_units"`    // δ times the released number of units; it belongs far below 1
	Together     string  `json:"several_units"`     // what k units have together
	Warning      string  `json:"warning,omitempty"` // if ε or δ is too large
	Anonymity    string  `json:"anonymity"`         // a fixed sentence: no claim of compliance
}

func meaningOf(p Privacy) Meaning {
	m := Meaning{
		BeliefBefore: .5, BeliefAtMost: 1 / (1 + math.Exp(-p.Epsilon)), DeltaPerUnit: p.Delta * math.Max(0, p.Units.Count),
		Together:  "k privacy units have k times ε between them",
		Anonymity: plainText("anonymity"),
	}
	m.Warning = WeakEpsilon(p.Epsilon)
	if m.largeDelta(p.Delta) {
		m.Warning = strings.TrimPrefix(m.Warning+"; ", "; ") + fmt.Sprintf("delta = %g is large beside 1/(number of units): the promise may fail for somebody", p.Delta)
	}
	return m
}

// largeDelta reports whether δ is too large for the units.
func (m Meaning) largeDelta(delta float64) bool { return m.DeltaPerUnit >= .5 || delta > LargeDelta }

// LargeDelta is the δ above which a promise fails too often to be one, for any number of units.
const LargeDelta = 1e-3

// WeakEpsilon says what an ε above 10 lets happen; empty for others.
func WeakEpsilon(epsilon float64) string {
	if !(epsilon > 10) {
		return ""
	}
	return fmt.Sprintf("epsilon = %g is above 10 and protects little: a belief of 1 %% about one unit can become %.4g %%", epsilon, 100/(1+99*math.Exp(-epsilon)))
}

// Process says how a release came about, in the words of those who register releases.
type Process struct {
	Product   string   `json:"product"` // synthetic data
	Variant   string   `json:"variant"` // pure or approximate differential privacy
	Model     string   `json:"trust_model"`
	Trusted   []string `json:"trusted"`
	Source    string   `json:"source"`      // static or dynamic
	Access    string   `json:"interaction"` // interactive or not
	Other     string   `json:"other_releases"`
	Tuning    string   `json:"tuning_on_private_data"`
	After     []string `json:"post_processing"`
	Validated []string `json:"validation"`
}

func processOf(r Run) Process {
	p := Process{
		Product: "synthetic data", Variant: "approximate differential privacy", Model: "central", Source: "static", Access: "not interactive",
		Trusted: []string{
			"operator, workers, job pages, logs of the runner and staging storage",
			"those who may write to staging storage",
			"the operating system's generator of random bits, AES-256 and SHA-256",
			"the author of the domain file, who read no bound or category off the table",
		},
		Other:  "not recorded: no budget of this data set was kept by this run; losses of several releases add",
		Tuning: "none recorded by this program; runs of `dapple evaluate`, `check` and `infer` on the table are not covered",
		After: []string{
			"fit of a model to the noisy answers, with shares of at least 0",
			"values too rare to be told from noise are modelled as independent of other columns, by some methods",
			"rows drawn from the model; values inside a cell by what is public or was released",
		},
		Validated: []string{
			"`make verify`: laws of all mechanisms and whole runs enumerated, replays, audits, seeded defects; dp/PRIVACY.md has a line for each claim",
			"dp/CLAIMS.md: the evidence and the limits of each claim",
		},
	}
	if r.Book != nil {
		p.Other = r.Book.String()
	}
	if r.Found != nil {
		p.Other = r.Found.String() + ". " + p.Other
	}
	p.Other, p.Tuning = cmp.Or(r.About["other_releases"], p.Other), cmp.Or(r.About["tuning"], p.Tuning)
	if r.Statement.Delta == 0 {
		p.Variant = "pure differential privacy"
	}
	if len(r.Domain.Recorded().StructuralZeros) > 0 {
		p.After = append(p.After, "combinations that the domain declares to be impossible have no rows")
	}
	if len(r.Domain.Derived)+len(r.Domain.Generated) > 0 {
		p.After = append(p.After, "columns computed from others or made up are added to the rows")
	}
	return p
}
