package bigquery

import (
	"fmt"
	"strings"
	"testing"

	bq "cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// typed has a column of each type but NUMERIC, which the emulator loads as 0, with a value of each. The
// emulator takes microseconds of DATETIME and TIME for milliseconds: they have whole seconds.
var typed = []struct {
	attr domain.Attribute
	cell domain.Column
	want string // as the client reads it
}{
	{domain.Attribute{Type: domain.String, Values: []string{"Zoë"}}, domain.Column{Form: domain.Dictionary, Dict: []string{"Zoë"}, Ints: []int64{0, 0}}, "Zoë"},
	{domain.Attribute{Type: domain.Int64}, domain.Column{Form: domain.Ints, Ints: []int64{-1 << 62, 0}}, "-4611686018427387904"},
	{domain.Attribute{Type: domain.Float64}, domain.Column{Form: domain.Floats, Floats: []float64{0.1, 0}}, "0.1"},
	{domain.Attribute{Type: domain.Bool}, domain.Column{Form: domain.Ints, Ints: []int64{1, 0}}, "true"},
	{domain.Attribute{Type: domain.Date}, domain.Column{Form: domain.Ints, Ints: []int64{19782, 0}}, "2024-02-29"},
	{domain.Attribute{Type: domain.DateTime}, domain.Column{Form: domain.Ints, Ints: []int64{1709214896000000, 0}}, "2024-02-29T13:54:56"},
	{domain.Attribute{Type: domain.Timestamp}, domain.Column{Form: domain.Ints, Ints: []int64{1709214896789012, 0}}, "2024-02-29 13:54:56.789012 +0000 UTC"},
	{domain.Attribute{Type: domain.Time}, domain.Column{Form: domain.Ints, Ints: []int64{50096000000, 0}}, "13:54:56"},
}

// Every type arrives as itself, and NULL as NULL.
func TestTypesArrive(t *testing.T) {
	r := newRig(t, false)
	s := r.sink(services.StartProxy(t, r.BigQuery), "run-1")
	s.Shards, s.Domain = 1, domain.Domain{}
	c := &domain.Chunk{Rows: 2}
	for i, col := range typed {
		a, cell := col.attr, col.cell
		a.Name, a.Null, cell.Nulls = fmt.Sprintf("c%d", i), true, []bool{false, true}
		s.Domain.Attributes, c.Columns = append(s.Domain.Attributes, a), append(c.Columns, cell)
	}
	ctx := services.Deadline(t)
	part := must.Value(r.dir(s).Create(ctx, 0))(t)
	must.Do(t, write(s, part, c))
	staged := bigqueryio.Staged{Model: "m"}
	ref := must.Value(part.Commit(2))(t)
	staged.Parts = append(staged.Parts, ref)
	must.Value(s.Publish(ctx, staged))(t)
	it := must.Value(r.Client(t).Query("SELECT * FROM `test.d.t` ORDER BY c0 IS NULL").Read(ctx))(t)
	var first, second []bq.Value
	must.Do(t, it.Next(&first))
	must.Do(t, it.Next(&second))
	for i, col := range typed {
		must.Hold(t, fmt.Sprint(first[i]) == col.want && second[i] == nil, "%v: got %v and %v, want %s and NULL", col.attr.Type, first[i], second[i], col.want)
	}
}

// Rows are added to a table that has more columns, in another order and under names with capitals.
func TestAppendToAnotherTable(t *testing.T) {
	r := newRig(t, false)
	ctx := services.Deadline(t)
	must.Do(t, r.Client(t).Dataset("d").Table("t").Create(ctx, &bq.TableMetadata{Schema: bq.Schema{
		{Name: "more", Type: bq.DateFieldType}, {Name: "sex", Type: bq.StringFieldType},
		{Name: "height", Type: bq.FloatFieldType}, {Name: "id", Type: bq.IntegerFieldType},
	}}))
	s := r.sink(services.StartProxy(t, r.BigQuery), "run-1")
	s.Write = bigqueryio.WriteAppend
	must.Do(t, s.Check(ctx))
	must.Value(s.Publish(ctx, r.stage(t, s)))(t)
	r.expect(t, 1)
	s.Domain.Attributes[0].Type = domain.Date
	err := s.Check(ctx)
	must.Hold(t, err != nil && strings.HasSuffix(err.Error(), "\tcolumn \"id\": the table has INT64, the rows DATE"), "got %v", err)
}
