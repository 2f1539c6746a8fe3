package tables_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/internal/transforms/tables"
	"github.com/dapple-dp/dapple/transforms/synth/synthtest"
)

// Sale has a field of each kind.
type Sale struct {
	Shop   string `bigquery:"shop_name"`
	Items  int64
	Price  *float64
	Paid   bool
	At     time.Time
	Amount *big.Rat
	Note   *string
	Hidden string `dapple:"-"`
}

func init() { beam.RegisterType(reflect.TypeFor[Sale]()) }

func sales() (list []Sale) {
	price, note := 2.5, "a, \"b\""
	for i := range 300 {
		s := Sale{Shop: []string{"Rome", "", "Évora/1"}[i%3], Items: int64(i), Paid: i%2 == 0, At: time.UnixMicro(int64(i) * 1e12).UTC()}
		if i%2 == 0 {
			s.Price, s.Amount = &price, big.NewRat(int64(i), 8)
		}
		if i%5 == 0 {
			s.Note = &note
		}
		list = append(list, s)
	}
	return list
}

// text makes sales comparable.
func text(list []Sale) (out []string) {
	for _, s := range list {
		line := fmt.Sprint(s.Shop, s.Items, s.Paid, s.At.UTC(), s.Hidden)
		if s.Price != nil {
			line += fmt.Sprint(*s.Price)
		}
		if s.Amount != nil {
			line += s.Amount.RatString()
		}
		if s.Note != nil {
			line += *s.Note
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// Structs of every kind come back as they were, from Parquet and from CSV, in which an empty text is NULL.
func TestStructsAreReadAndWritten(t *testing.T) {
	for _, format := range []string{"parquet", "csv"} {
		out := filepath.Join(t.TempDir(), "sales")
		p, s := beam.NewPipelineWithRoot()
		tables.Write(s, tables.Structs{Rows: beam.CreateList(s, sales())}, table.Target{Output: out, Format: format, RunID: "one"})
		run(t, p)
		from := must.Value(table.Find(context.Background(), out, nil))(t)
		p, s = beam.NewPipelineWithRoot()
		got := transformtest.Capture[Sale](s, tables.ReadStructs(s, from, reflect.TypeFor[Sale](), schema.CSV{}))
		run(t, p)
		if a, b := text(got.Elements()), text(sales()); !slices.Equal(a, b) {
			t.Errorf("%s: %d of %d; first %q, want %q", format, len(a), len(b), a[:1], b[:1])
		}
	}
}

// Event has fields that cannot be NULL, and values that no column holds.
type Event struct {
	Day   civil.Date
	Count uint64
}

// eventRead reads events.
type eventRead struct {
	Day   *civil.Date
	Count *int64
}

func init() {
	beam.RegisterType(reflect.TypeFor[Event]())
	beam.RegisterType(reflect.TypeFor[eventRead]())
}

// What no column holds is NULL in each format that has it.
func TestUnusableFieldsAreNull(t *testing.T) {
	events := []Event{{civil.Date{Year: 2024, Month: 2, Day: 29}, 7}, {civil.Date{}, math.MaxUint64}}
	for _, format := range []string{"parquet", "csv"} {
		out := filepath.Join(t.TempDir(), "events")
		p, s := beam.NewPipelineWithRoot()
		tables.Write(s, tables.Structs{Rows: beam.CreateList(s, events)}, table.Target{Output: out, Format: format, RunID: "one"})
		run(t, p)
		from := must.Value(table.Find(context.Background(), out, nil))(t)
		p, s = beam.NewPipelineWithRoot()
		got := transformtest.Capture[eventRead](s, tables.ReadStructs(s, from, reflect.TypeFor[eventRead](), schema.CSV{}))
		run(t, p)
		rows, null := got.Elements(), 0
		for _, r := range rows {
			if r.Day == nil && r.Count == nil {
				null++
			}
		}
		must.Hold(t, len(rows) == 2 && null == 1, "%s: %d rows, %d of NULL alone", format, len(rows), null)
	}
}

// Partitions are directories of their own, whose names have the values.
func TestPartitions(t *testing.T) {
	out := filepath.Join(t.TempDir(), "sales")
	p, s := beam.NewPipelineWithRoot()
	tables.Write(s, tables.Structs{Rows: beam.CreateList(s, sales()), PartitionBy: "shop_name"}, table.Target{Output: out, RunID: "one"})
	run(t, p)
	entries := must.Value(os.ReadDir(out))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{"shop_name=%C3%89vora%2F1", "shop_name=Rome", "shop_name=__HIVE_DEFAULT_PARTITION__"}
	must.Need(t, slices.Equal(names, want), "directories %q, want %q", names, want)
	from := must.Value(table.Find(context.Background(), filepath.Join(out, "shop_name=Rome", "*.parquet"), nil))(t)
	columns, _, err := from.Describe(context.Background(), schema.CSV{})
	must.Hold(t, err == nil && !slices.ContainsFunc(columns, func(c table.Column) bool { return c.Name == "shop_name" }),
		"the column is in the files too: %v (error %v)", columns, err)
	must.Passes(os.Stat(filepath.Join(out+".release", "shop_name=Rome", "_manifest.json")))(t)
}

// What does not match is refused while the pipeline is built, in words that name the field.
func TestStructsRefused(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.csv")
	must.Do(t, os.WriteFile(name, []byte("shop,items\nRome,3\n"), 0o600))
	from := must.Value(table.Find(context.Background(), name, nil))(t)
	_, s := beam.NewPipelineWithRoot()
	type narrow struct {
		Shop  string
		Items int8
	}
	type other struct{ Shop, Till string }
	type twins struct {
		A string `dapple:"shop"`
		B string `dapple:"shop"`
	}
	type odd struct{ X []int }
	for want, call := range map[string]func(){
		"make it an int64":            func() { tables.ReadStructs(s, from, reflect.TypeFor[narrow](), schema.CSV{}) },
		`no such column; its columns`: func() { tables.ReadStructs(s, from, reflect.TypeFor[other](), schema.CSV{}) },
		"are both called so":          func() { tables.ReadStructs(s, from, reflect.TypeFor[twins](), schema.CSV{}) },
		"which no column holds": func() {
			tables.Write(s, tables.Structs{Rows: beam.CreateList(s, []odd{{}})}, table.Target{Output: dir + "/x", RunID: "a"})
		},
		"RunID: got": func() {
			tables.Write(s, tables.Structs{Rows: beam.CreateList(s, sales())}, table.Target{Output: dir + "/x"})
		},
		`PartitionBy: got "till"; the`: func() {
			tables.Write(s, tables.Structs{Rows: beam.CreateList(s, sales()), PartitionBy: "till"}, table.Target{Output: dir + "/x", RunID: "a"})
		},
		"Output is empty": func() {
			tables.Write(s, tables.Structs{Rows: beam.CreateList(s, sales())}, table.Target{RunID: "a"})
		},
		"key-value pairs or groups; make": func() {
			synthesizePairs(s)
		},
	} {
		must.Contain(t, refused(call), want, "said")
	}
}

func synthesizePairs(s beam.Scope) {
	synth.Synthesize(s, beam.AddFixedKey(s, beam.CreateList(s, records())), synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, As: reflect.TypeFor[Order]()})
}

// The privacy ID that a stage leaves empty is no column, unless another step may have filled it.
func TestEmptyPrivacyIDIsNoColumn(t *testing.T) {
	for _, filled := range []bool{false, true} {
		out := filepath.Join(t.TempDir(), "orders")
		p, s := beam.NewPipelineWithRoot()
		rows, _ := synthtest.Synthesize(s, beam.CreateList(s, records()), synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9})
		want := []string{"Country", "Items"}
		if filled {
			rows, want = beam.ParDo(s, named, rows), []string{"Customer", "Country", "Items"}
		}
		tables.Write(s, tables.Structs{Rows: rows}, table.Target{Output: out, RunID: "one"})
		run(t, p)
		from := must.Value(table.Find(context.Background(), out, nil))(t)
		must.List(t, must.Value(from.Columns(context.Background(), schema.CSV{}))(t), want, "another step %v: columns", filled)
	}
}
