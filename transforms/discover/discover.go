// Package discover finds what a table can contain inside (ε, δ): types, ranges, resolutions and categories of its columns,
// and how many rows a person has.
//
//	found, err := discover.Then(ctx, "prism", orders, discover.Params{PrivacyID: "ID", Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10)})
//	file, err := schema.Parse("found", found.File(""))
//	rows, release := synth.Synthesize(s, orders(s), synth.Params{Domain: file.Domain, Prior: &found.Prior, Epsilon: 1, Delta: 1e-9})
//
// Of each person one record is counted, or as many as Params.Rows says where rows of people are looked for. Statistics with
// known cells are measured with noise, and values are released above a threshold (claim P70).
//
// The names of columns are public, and so are types that the source or a domain file declares. Nothing else of the table is:
// what is not released is not used. A graph's shapes are fixed when it is built, so a pipeline that synthesizes with the
// domain that was found is another pipeline. Its ledger goes on where the discovery's ended: see Found.Prior.
package discover

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/transforms/discover"
)

// Then finds the domain of records in a pipeline of its own, on a runner of Beam, and returns what a second pipeline takes:
//
//	found, err := discover.Then(ctx, "prism", people, discover.Params{PrivacyID: "id", Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10)})
//	…
//	file, err := schema.Parse("found", found.File(""))
//	…
//	rows, _ := synth.Synthesize(s, people(s), synth.Params{Domain: file.Domain, Epsilon: 1, Delta: 1e-9, Prior: &found.Prior})
//
// Both pipelines together promise that ε and δ. records adds the reading of the records to a pipeline. By default p.Columns are
// the fields of the records. On a runner whose workers are other processes p.Store is required.
func Then(ctx context.Context, runner string, records func(beam.Scope) beam.PCollection, p Params) (*Found, error) {
	return discover.Then(ctx, runner, records, p)
}

// Discover finds what records can contain, at the price of p.Share of the budget. They are structs with fields for p.Columns,
// see ColumnsOf, or the *domain.Chunk of a table that is read with p.Records(). It returns a collection of one text: Found,
// as JSON, which Decode reads. It always finds something, also in no records at all.
//
// It panics on invalid parameters, on records in windows or without an end, and on a second release from the same records
// in one pipeline: the losses of two add, and each statement would have its own.
func Discover(s beam.Scope, rows beam.PCollection, p Params) beam.PCollection {
	return discover.Discover(s, rows, p)
}

// Params configures Discover. Columns, Epsilon, Delta and Share are required.
//
//	type Params struct {
//		Columns      []Column // without the privacy ID
//		PrivacyID    string   // empty: every record is a unit
//		Rows         Rows     // of people
//		Epsilon      dp.Epsilon
//		Delta        dp.Delta // above 0: values are released at the price of it
//		Neighbouring dp.Neighbouring
//		// Share is the part of the budget, and of δ, that the discovery may spend. What it leaves is for releases after it.
//		Share dp.Share
//		// Mixed makes room for releases by methods that select, which draw other noise than Gaussian. All releases of the budget
//		// have one accounting, which is chosen before the first.
//		Mixed bool
//
//		Shards int // parallel parts of people and of values; default 64
//
//		// Spill keeps records and values on their way in a file, in place of the runner, which may hold them several times. It is for
//		// pipelines whose workers are all in the process that made it.
//		Spill *Spill `json:"-"`
//
//		// Store keeps what was found, and a job that is started again adopts it: see synth.Params. RunID is required with one.
//		Store synth.StoreRef
//		RunID string
//
//		// Book is a budget book: see synth.Params. The discovery is charged before its noise is drawn, under an ID of its own, which
//		// releases with its Prior do not charge again. RunID is required with one.
//		Book string `json:",omitempty"`
//
//		// ID names the noise, in budget books and in the charge of a domain file: random, and of one discovery alone. Default: one
//		// that is drawn with the noise.
//		ID string `json:",omitempty"`
//	}
type Params = discover.Params

// Rows is what is to be found of the rows of people.
type Rows = discover.Rows

// What can be found of the rows of people.
const (
	AllOfRows = discover.AllOfRows // how many they have at most, and which columns stay the same
	MostRows  = discover.MostRows  // how many they have at most
	NoRows    = discover.NoRows
)

// Column is a column of a table by what is public of it.
//
//	type Column struct {
//		Name    string
//		Untyped bool        // a column of text, whose type is to be found
//		Type    domain.Type // else
//		Scale   int         // of a NUMERIC
//
//		// The rest of what is public is for columns that belong to a field of a struct, which has to hold what is found.
//
//		Required    bool   `json:",omitempty"` // no value can be missing, as in a field that is no pointer: NULL is not found
//		Least, Most string `json:",omitempty"` // of a number: what the field holds, such as 0 and 255 of a uint8
//
//		// The rest is for columns with parts that a domain file leaves to be found.
//
//		Values   bool   // of a number: its values are to be found, and not its range; a STRING has values in any case
//		Prefixes []int  // of values: the numbers of characters at which they may be cut, ascending
//		Min, Max string // ends of the range that are declared
//		Step     string // resolution of a number that is declared
//		Unit     int64  // resolution of a time that is declared, in native units
//	}
type Column = discover.Column

// ColumnsOf returns the columns of structs of a type, but the privacy ID: one for each exported field, of the type that the
// field has. A text is a STRING. Rows of a
// domain that is found of these columns fit the type.
func ColumnsOf(t reflect.Type, privacyID string) (columns []Column, err error) {
	return discover.ColumnsOf(t, privacyID)
}

// Found is what was released of a table. It is public.
//
//	type Found struct {
//		PrivacyID string
//		Units     float64 // about how many there are
//		Columns   []FoundColumn
//		MaxRows   int64      `json:",omitempty"` // of a person; 0: one each, or no people
//		More      float64    `json:",omitempty"` // about the part of the people that have more rows, if noise lets one see it
//		Person    []string   `json:",omitempty"` // columns that stay the same within a person
//		Orders    [][]string `json:",omitempty"` // columns of dates that do not descend
//
//		Prior  accountant.Prior // what the discovery has charged to the budget, under the ID of its noise: see synth.SolveParams
//		Config string           // hash of the parameters that it was drawn with, in hex
//	}
type Found = discover.Found

// Decode reads what Discover has emitted.
func Decode(data []byte) (*Found, error) {
	return discover.Decode(data)
}
