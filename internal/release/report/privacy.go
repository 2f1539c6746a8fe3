package report

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/solver"
)

// Privacy is the statement of one run: what is promised, what was spent on what, and what the promise
// does not cover. It is the content of _privacy.json.
type Privacy struct {
	Format int `json:"format"` // of this file: 1
	accountant.Statement
	PrivacyID   string  `json:"privacy_id"`                 // empty: every record is a privacy unit
	Unit        string  `json:"unit"`                       // the same in words
	Relation    string  `json:"relation"`                   // Neighbouring in terms of the table
	Meaning     Meaning `json:"meaning"`                    // what ε means, in sentences
	Bounding    string  `json:"bounding"`                   // how the records of a unit count
	RowsMax     int64   `json:"rows_max,omitempty"`         // nobody is written with more rows; 0: one row for each privacy unit
	RowsInOrder string  `json:"rows_in_order_of,omitempty"` // the column that orders the rows of each privacy unit; empty: none
	// RowsSD is how far apart, as a part of them, the numbers of rows are of this and another table of as many people like
	// these: one standard deviation, noise apart, as the model says. 0: one row for each privacy unit.
	RowsSD   float64 `json:"rows_sd_of_people,omitempty"`
	Method   string  `json:"method"`    // the solver
	Releases int     `json:"releases"`  // how many noisy answers were drawn
	Units    Units   `json:"units"`     // how many privacy units there are
	Rows     int64   `json:"rows"`      // written
	RowsFrom string  `json:"rows_from"` // noisy_total, public_total or request
	// RowsAt is where they were written: the name of a directory, a directory of gs:// or a table of bq://.
	RowsAt     string `json:"rows_at,omitempty"`
	RowsFormat string `json:"rows_format,omitempty"` // parquet or csv; empty for a table
	// Tables are the directories in it of people, a row for each, and of their rows; empty: all rows are in one table.
	Tables []string `json:"tables,omitempty"`
	// Criteria are those that the model was checked against; nil: none.
	Criteria *Criteria `json:"criteria,omitempty"`
	Error    Errors    `json:"error"` // how far off the rows are
	// Marginals says what the table of marginals holds.
	Marginals Marginals `json:"marginals"`
	Status    string    `json:"status"` // how the solver ended
	// Fit is the test of the model against what was released; nil: there was nothing to test it against.
	Fit       *Fit     `json:"fit,omitempty"`
	Generator string   `json:"generator"`   // where the noise comes from
	Hashes    Hashes   `json:"hashes"`      // what the statement is about
	NotCover  []string `json:"not_covered"` // what no guarantee covers
	Process   Process  `json:"process"`     // how the run was made, for registries
	// Book is the budget book that the run is charged to; nil: none.
	Book *Book `json:"budget_book,omitempty"`
	// Found is what finding the domain has cost beside; nil: it was declared, or found within the run's own budget.
	Found *Found `json:"found_domain,omitempty"`
	// About is what only the curator knows, word for word.
	About map[string]string `json:"about,omitempty"`
	// Began is when the run was asked for, in UTC. How long it took is not said: it depends on the table.
	Began string `json:"began,omitempty"`
	// NotPrivate lists what the release shows and no guarantee covers.
	NotPrivate []string `json:"not_private_figures"`
	Versions   Versions `json:"versions"` // of dapple, Go and Beam
	// Dictionary is the domain: public facts, and bins that were learned from a release.
	Dictionary []Column `json:"dictionary"`
	// Constraints hold in every row: public facts of the domain.
	Constraints []string `json:"constraints,omitempty"`
	// LeftOut are the columns of the table that have no rows, with the reason: of those the run itself has found too little.
	LeftOut []string `json:"left_out,omitempty"`
	// DidNotFit says of other columns which values did not fit, and what became of them, the worst first.
	DidNotFit []string `json:"did_not_fit,omitempty"`
	// Target is the column that rows were made to predict: its marginals weighed 30 times as much as others.
	Target string `json:"workload_target,omitempty"`
}

// Units says what is released about the number of privacy units.
type Units struct {
	Count  float64 `json:"count"`              // released or public
	StdDev float64 `json:"standard_deviation"` // of the noise in it; 0: public
	From   string  `json:"from"`               // public, or noisy
}

// Hashes identify what the statement is about.
type Hashes struct {
	Domain   string `json:"domain"`   // of the domain file as parsed
	Workload string `json:"workload"` // of the marginals asked for
	// Table is the hash of the names of the private tables: a request under the ID of a finished run is compared with it.
	Table string `json:"table,omitempty"`
	// Asked is the hash of what the request declared of a domain that was found; empty: the domain was declared.
	Asked string `json:"asked,omitempty"`
	Model string `json:"model"` // its content, whatever the file
	// Rows is what "sha256sum part-* | sha256sum" prints, with two tables "sha256sum people/part-* events/part-* |
	// sha256sum"; empty if rows went to a table.
	Rows  string            `json:"rows,omitempty"`
	Files map[string]string `json:"files,omitempty"` // SHA-256 of the other released files
}

// Versions of what made the release.
type Versions struct {
	Dapple string `json:"dapple"`
	Go     string `json:"go"`
	Beam   string `json:"beam"`
}

// Told is what a release does not know of the run that made it: what was asked for, found and declared. It is plain data.
type Told struct {
	RowsAt         string // where the rows are, for those who read them
	RowsFormat     string
	Strict         bool              // an unusable cell or a malformed line would have ended the run
	TrimID         bool              // blanks around privacy IDs were taken off
	NullID         []string          // texts that meant that a record has no privacy ID
	Derived        []string          // facts of the domain that were read off the true table
	About          map[string]string // what only the curator knows
	Began          string            // when the run was asked for, RFC 3339
	Found          *Found            `json:",omitempty"`
	LeftOut        []string          `json:",omitempty"` // columns, with the reason
	DidNotFit      []string          `json:",omitempty"` // columns, with how many of their values, and what these became
	Table, Asked   string            `json:",omitempty"` // see Hashes
	WorkloadTarget string            `json:",omitempty"` // the column whose marginals weighed more
}

// Run is what a statement is made from: released and public values only.
type Run struct {
	Told
	Statement accountant.Statement
	Domain    *domain.Domain
	Workload  query.Workload
	Method    string
	Status    solver.Status
	Total     query.Total
	Rows      int64
	RowsSD    float64  // see Privacy
	Tables    []string // of people and of their rows, if they are two
	RowsAsked bool     // the number of rows was given, not derived from the released total
	Errors    Errors
	Marginals Marginals
	ModelHash [32]byte
	Book      *Book
	Fit       *Fit
}

// strictly is what the end of a strict run shows of the true table.
const strictly = "that there is a release: the table was read with --strict, and one unusable cell or malformed line would have ended the run"

// derivedFromData begins what a release shows of a domain file that was read off the true table.
const derivedFromData = "what the domain file says that was read off the true table (derived_from_data): "

// usual says what else is modelled of a person.
func usual(e *domain.Events) string {
	if len(e.Usual) == 0 {
		return "nothing else of them"
	}
	return "the commonest value among them of " + strings.Join(e.Usual, ", ")
}

// RowBefore says what each row of a person remembers of the one before.
func RowBefore(d *domain.Domain) (text string) {
	kept, e := d.Events.Sequence.Previous, d.Events
	if len(kept) > 0 {
		text = ", and what the row before has in " + strings.Join(kept, ", ")
	}
	if other := slices.DeleteFunc(d.Names()[:e.Columns], func(name string) bool {
		a := d.Index(name)
		return a == e.Gap() || d.OfPerson(a) || slices.Contains(kept, name)
	}); len(other) > 0 {
		text += ", but not in " + strings.Join(other, ", ")
	}
	return text
}

// New returns the statement of a run.
func New(r Run) Privacy {
	p := Privacy{
		Format: 1, Statement: r.Statement, PrivacyID: r.Domain.PrivacyID, Method: r.Method, Status: r.Status.String(),
		Rows: r.Rows, RowsFrom: "noisy_total", RowsAt: r.RowsAt, RowsFormat: r.RowsFormat, Error: r.Errors, Marginals: r.Marginals, NotPrivate: []string{}, Book: r.Book,
		Found: r.Found, LeftOut: r.LeftOut, DidNotFit: r.DidNotFit, Fit: r.Fit, Target: r.WorkloadTarget, About: r.About, Began: r.Began,
		Bounding:  "every record is a privacy unit",
		Generator: "AES-256-CTR keyed by HKDF-SHA-256 from 32 secret bytes of the operating system's generator, bound to the counts",
		Units:     Units{Count: r.Total.Units, StdDev: math.Sqrt(r.Total.Variance), From: "noisy"},
		NotCover: []string{
			"running time, memory, element counts of runner pages and logs: they stay inside the trusted set",
			"wrong privacy IDs, and facts about groups of privacy units",
			"several runs on the same people: their losses add",
			"anyone who holds the seed, the staging store or the table itself",
			"the form of the input: that it could be read; in a CSV file, a quote that opens a cell and never closes ends the run, " +
				"and one that closes in a later record takes the records between into its cell",
			"limits that one more record can cross: more than 2^40 privacy units, or 2^28 with all their records, end the run after the table was read, and so does a table that is too large for memory or disk",
		},
	}
	if r.Domain.PrivacyID != "" {
		p.Bounding = "one record for each privacy ID: the one of least AES-128 rank; records without an ID are not used" + r.idRule()
	}
	if e := r.Domain.Events; e != nil {
		p.Bounding = fmt.Sprintf("all records of each privacy ID, with weights in steps of 2^-%d, by how often it has each, that add up to 1 exactly; "+
			"the person's columns come from the record of least AES-128 rank; records without an ID are not used%s. "+
			"Each also says how many records the ID has, up to %d, and %s. Each person weighs 1 in every table, however many records",
			r.Domain.WeightBits(), r.idRule(), e.MaxRows, usual(e))
		p.RowsMax, p.RowsSD = e.MaxRows, r.RowsSD
		if q := e.Sequence; q != nil {
			p.Bounding += fmt.Sprintf(". Of each person the first %d records in the order of %s are used, equal ones in the order of their ranks; each also says how far it is from the one before%s",
				e.MaxRows, q.Column, RowBefore(r.Domain))
			p.RowsInOrder = q.Column
		}
		if e.NoRows {
			p.Bounding += ". People are listed in a table of their own, some without records; their columns are taken from it, and records of other IDs are not used"
		}
	}
	if r.Total.Variance == 0 {
		p.Units.From = "public"
		p.RowsFrom = "public_total"
	}
	if r.RowsAsked {
		p.RowsFrom = "request"
	}
	if r.Strict {
		p.NotPrivate = append(p.NotPrivate, strictly)
	}
	if len(r.Derived) > 0 {
		p.NotPrivate = append(p.NotPrivate, derivedFromData+strings.Join(r.Derived, "; "))
	}
	p.Constraints = constraints(r.Domain)
	p.Dictionary, p.Unit, p.Relation, p.Tables = dictionary(r.Domain, r.Tables), p.UnitInWords(), p.neighbours(), r.Tables
	p.Meaning, p.Process = meaningOf(p), processOf(r)
	for _, line := range r.Statement.Ledger {
		p.Releases += line.Count
	}
	fingerprint, workload := r.Domain.Fingerprint(), r.Workload.Fingerprint()
	p.Hashes = Hashes{Domain: hex.EncodeToString(fingerprint[:]), Workload: hex.EncodeToString(workload[:]), Table: r.Table, Asked: r.Asked, Model: hex.EncodeToString(r.ModelHash[:])}
	p.Versions = ReadVersions()
	return p
}

// idRule says what was made of IDs on the owner's request, which makes one ID of several.
func (r Run) idRule() (rule string) {
	if r.TrimID {
		rule = "; blanks around an ID are not part of it (csv: trim_id)"
	}
	if len(r.NullID) > 0 {
		quoted := lists.Of(r.NullID, strconv.Quote)
		rule += "; an ID that reads " + strings.Join(quoted, " or ") + " counts as none (csv: null_id)"
	}
	return rule
}

// ReadVersions reads the build's own record of what it was made from.
func ReadVersions() Versions {
	v := Versions{Dapple: buildinfo.Version(), Go: runtime.Version(), Beam: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/apache/beam/sdks/v2" {
			v.Beam = d.Version
		}
	}
	return v
}

// JSON returns the content of _privacy.json.
func (p Privacy) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(p, "", " ")
	return append(b, '\n'), err
}

// ParsePrivacy reads the content of a _privacy.json.
func ParsePrivacy(b []byte) (Privacy, error) {
	var p Privacy
	var head struct { // of every format
		Format   int      `json:"format"`
		Versions Versions `json:"versions"`
	}
	err := json.Unmarshal(b, &head)
	if err == nil && head.Format != 1 {
		return p, fmt.Errorf("report: the privacy statement %w", &buildinfo.OtherFormat{Format: strconv.Itoa(head.Format), Reads: "1", Version: head.Versions.Dapple})
	}
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		return p, fmt.Errorf("report: privacy statement: %w", err)
	}
	return p, nil
}

// Guarantee returns the promise in one line: "ε = 1, δ = 1e-09, add or remove one person_id".
func (p Privacy) Guarantee() string { return p.Statement.Guarantee(p.PrivacyID) }
