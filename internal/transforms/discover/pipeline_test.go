package discover_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/tables"
	_ "github.com/dapple-dp/dapple/io/csvio"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// holds reports whether the range of a column has all from one number to another.
func holds(c discover.FoundColumn, from, to float64) bool {
	var low, high float64
	_, err := fmt.Sscan(c.Min+" "+c.Max, &low, &high)
	return err == nil && low <= from && to <= high
}

// The stage in a pipeline finds people's columns and rows, keeps what it found, and a second attempt adopts it unread. Noise makes
// a range or the number of rows larger in one of some hundreds of runs. All else is 6 standard deviations of noise away or more.
func TestPipeline(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,sex,visits\n")
	for i := range 20_000 {
		for k := range 1 + i%3 {
			fmt.Fprintf(&text, "p%d,%s,%d\n", i, []string{"Female", "Male"}[i%2], i%7+k)
		}
	}
	dir := t.TempDir()
	must.Do(t, files.Create(t.Context(), dir+"/people.csv", []byte(text.String())))
	source := must.Value(table.Find(t.Context(), dir+"/people.csv", nil))(t)
	p := discover.Params{
		Columns:   []discover.Column{{Name: "sex", Untyped: true}, {Name: "visits", Untyped: true}},
		PrivacyID: "id", Epsilon: 14, Delta: 1e-9, Share: dp.ShareOf(1, 1), Store: tables.Store(dir), RunID: "one", Book: dir + "/people.book",
	}
	terms := book.Terms{Name: "people", PrivacyID: "id", Neighbouring: "add_remove", Epsilon: 15, Delta: 1e-4, Inputs: []string{"people.csv"}}
	must.Value(book.Create(t.Context(), p.Book, terms))(t)
	var found []*discover.Found
	for range 2 {
		pipe, s := beam.NewPipelineWithRoot()
		col := transformtest.Capture[string](s, discover.Discover(s, source.Read(s, p.Records(), schema.CSV{Trim: true}), p))
		transformtest.Run(t, pipe)
		all := col.Elements()
		must.Need(t, len(all) == 1, "%d results", len(all))
		f := must.Value(discover.Decode([]byte(all[0])))(t)
		found = append(found, f)
	}
	f := found[0]
	must.Hold(t, len(f.Columns[0].Values) == 2 && holds(f.Columns[1], 0, 8) && f.MaxRows >= 4 && len(f.Person) == 1 && f.Person[0] == "sex", "found %+v", f)
	file, err := schema.Parse("found", f.File("trim: true"))
	must.Hold(t, err == nil && file.Domain.Events != nil, "%v\n%s", err, f.File("trim: true"))
	must.Hold(t, found[1].Units == f.Units, "a second attempt has drawn again")
	b := must.Value(book.Open(t.Context(), p.Book))(t)
	if list := b.Standing(); len(list) != 1 || list[0].Key != book.FoundKey(f.Prior.ID) || list[0].Epsilon != 14 {
		t.Errorf("the book has %d charges for what was found as %s", len(list), f.Prior.ID)
	}
}

// visit is a record of a Go program.
type visit struct {
	ID     string `dapple:"person"`
	Ward   string
	Nights *int64
	Cost   float64
	Notes  []string `dapple:"-"`
}

func init() { beam.RegisterType(reflect.TypeFor[visit]()) }

// TestStructs: of structs the types of fields are public, and what they hold is found as of a table. Noise makes a range or the
// number of rows larger, or a resolution finer. All else is 6 standard deviations of noise away or more.
func TestStructs(t *testing.T) {
	columns := must.Value(discover.ColumnsOf(reflect.TypeFor[visit](), "person"))(t)
	var rows []visit
	for i := range 20_000 {
		for k := range 1 + i%2 {
			v := visit{ID: fmt.Sprint("p", i), Ward: []string{"eye", "heart"}[i%2], Cost: float64(i%400) / 4}
			if nights := int64(i%7 + k); i%5 > 0 {
				v.Nights = &nights
			}
			rows = append(rows, v)
		}
	}
	p := discover.Params{Columns: columns, PrivacyID: "person", Epsilon: 20, Delta: 1e-9, Share: dp.ShareOf(1, 1)}
	pipe, s := beam.NewPipelineWithRoot()
	col := transformtest.Capture[string](s, discover.Discover(s, transformtest.Create(s, rows...), p))
	transformtest.Run(t, pipe)
	f := must.Value(discover.Decode([]byte(col.Elements()[0])))(t)
	ward, nights, cost := f.Columns[0], f.Columns[1], f.Columns[2]
	must.Hold(t, len(ward.Values) == 2 && !ward.Null && nights.Type == domain.Int64 && holds(nights, 0, 7) && nights.Null && cost.Type == domain.Float64 && strings.HasPrefix(cost.Resolution, "0.0") && f.MaxRows >= 2,
		"found %+v", f)
	_, err := schema.Parse("found", f.File(""))
	must.Hold(t, err == nil, "%v\n%s", err, f.File(""))
	p.Columns = append(p.Columns, discover.Column{Name: "Absent"})
	defer func() {
		must.Contain(t, fmt.Sprint(recover()), `column "Absent": discover_test.visit has no such field`, "a column without a field")
	}()
	_, s = beam.NewPipelineWithRoot()
	discover.Discover(s, transformtest.Create(s, rows[0]), p)
}
