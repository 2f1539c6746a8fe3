package bigqueryio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// arrowCase is a column of every form: three cells, the last of them NULL.
type arrowCase struct {
	as     domain.Type
	scale  int
	typ    arrow.DataType
	append func(array.Builder)
	want   string
}

func two[B array.Builder, T any](a, b T, add func(B, T)) func(array.Builder) {
	return func(builder array.Builder) {
		add(builder.(B), a)
		add(builder.(B), b)
	}
}

func arrowCases() []arrowCase {
	stamp := func(unit arrow.TimeUnit, zone string, a, b int64) (arrow.DataType, func(array.Builder)) {
		return &arrow.TimestampType{Unit: unit, TimeZone: zone}, two(arrow.Timestamp(a), arrow.Timestamp(b), (*array.TimestampBuilder).Append)
	}
	var cases []arrowCase
	add := func(as domain.Type, typ arrow.DataType, fill func(array.Builder), want string) {
		cases = append(cases, arrowCase{as: as, scale: 2, typ: typ, append: fill, want: want})
	}
	add(domain.String, arrow.BinaryTypes.String, two("é", "", (*array.StringBuilder).Append), "[é  NULL]")
	add(domain.String, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, func(b array.Builder) {
		d := b.(*array.BinaryDictionaryBuilder)
		if err := errors.Join(d.AppendString("x"), d.AppendString("y")); err != nil {
			panic(err)
		}
	}, "[x y NULL]")
	add(domain.Int64, arrow.PrimitiveTypes.Int64, two[*array.Int64Builder](int64(math.MinInt64), 7, (*array.Int64Builder).Append), fmt.Sprintf("[%d 7 NULL]", math.MinInt64))
	add(domain.Float64, arrow.PrimitiveTypes.Float64, two(math.NaN(), math.Inf(-1), (*array.Float64Builder).Append), "[NaN -Inf NULL]")
	add(domain.Bool, arrow.FixedWidthTypes.Boolean, two(true, false, (*array.BooleanBuilder).Append), "[1 0 NULL]")
	add(domain.Date, arrow.FixedWidthTypes.Date32, two[*array.Date32Builder](arrow.Date32(-1), 2932896, (*array.Date32Builder).Append), "[-1 2932896 NULL]")
	add(domain.Time, arrow.FixedWidthTypes.Time64us, two[*array.Time64Builder](arrow.Time64(0), 86399999999, (*array.Time64Builder).Append), "[0 86399999999 NULL]")
	typ, fill := stamp(arrow.Microsecond, "", -1, 5)
	add(domain.DateTime, typ, fill, "[-1 5 NULL]")
	typ, fill = stamp(arrow.Microsecond, "UTC", -1, 5)
	add(domain.Timestamp, typ, fill, "[-1 5 NULL]")
	typ, fill = stamp(arrow.Nanosecond, "UTC", -1, 1999)
	add(domain.Timestamp, typ, fill, "[-1 1 NULL]")
	typ, fill = stamp(arrow.Millisecond, "UTC", math.MinInt64, 5)
	add(domain.Timestamp, typ, fill, "[beyond the type 1970-01-01T00:00:00.005Z NULL]")
	big, _ := decimal128.FromString("99999999999999999999999999999.9", 38, 9)
	add(domain.Numeric, &arrow.Decimal128Type{Precision: 38, Scale: 9}, two(decimal128.FromI64(-1), big, (*array.Decimal128Builder).Append),
		"[-0.01 beyond the type NULL]")
	wide, _ := decimal256.FromString("-12.345", 76, 38)
	add(domain.Numeric, &arrow.Decimal256Type{Precision: 76, Scale: 38}, two(decimal256.FromI64(1), wide, (*array.Decimal256Builder).Append), "[0 -1235 NULL]")
	return cases
}

// batchOf returns the cases as the columns c0, c1, … of a record, in reverse order.
func batchOf(cases []arrowCase) (arrow.RecordBatch, *Source) {
	src := &Source{Table: table, Client: Client{Project: "billed"}}
	var fields []arrow.Field
	var columns []arrow.Array
	for i, c := range cases {
		name := fmt.Sprintf("c%d", i)
		src.Columns = append(src.Columns, Column{Name: name, As: c.as, Scale: c.scale})
		b := array.NewBuilder(memory.DefaultAllocator, c.typ)
		c.append(b)
		b.AppendNull()
		fields, columns = append(fields, arrow.Field{Name: strings.ToUpper(name), Type: c.typ, Nullable: true}), append(columns, b.NewArray())
	}
	slices.Reverse(fields)
	slices.Reverse(columns)
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, 3), src
}

// serialized returns schema and batches as the service sends them: without the end of the stream.
func serialized(t testing.TB, records ...arrow.RecordBatch) (schema []byte, batches [][]byte) {
	t.Helper()
	write := func(r ...arrow.RecordBatch) []byte {
		var b bytes.Buffer
		w := ipc.NewWriter(&b, ipc.WithSchema(records[0].Schema()))
		for _, r := range r {
			must.Do(t, w.Write(r))
		}
		if len(r) == 0 { // the schema goes out with the first record, or with the end
			must.Do(t, w.Close())
			return b.Bytes()[:b.Len()-8]
		}
		return b.Bytes()
	}
	schema = write()
	for _, r := range records {
		batches = append(batches, write(r)[len(schema):])
	}
	return schema, batches
}

func TestEveryArrowTypeIsDecoded(t *testing.T) {
	cases := arrowCases()
	record, src := batchOf(cases)
	schema, batches := serialized(t, record)
	d := must.Value(newArrowDecoder(src, schema))(t)
	chunks, err := d.decode(batches[0], 3)
	must.Need(t, err == nil && len(chunks) == 1, "%d chunks, %v", len(chunks), err)
	for i, c := range cases {
		must.Equal(t, fmt.Sprint(show(&chunks[0].Columns[i], 3)), c.want, "%v as %v", c.typ, c.as)
	}
}

// A DATETIME has no zone and a TIMESTAMP has one: a column that has become the other is not read.
func TestArrowTypesThatDoNotFit(t *testing.T) {
	zoned, local := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Microsecond}
	for _, c := range []struct {
		typ arrow.DataType
		as  domain.Type
	}{{zoned, domain.DateTime}, {local, domain.Timestamp}, {arrow.BinaryTypes.Binary, domain.String}} {
		src := &Source{Columns: []Column{{As: c.as}}}
		_, ok := src.reads(0, c.typ)
		must.Hold(t, !ok, "%v is read as %v", c.typ, c.as)
	}
}

// longRecord has n rows of an INT64 and a STRING; every third row is NULL.
func longRecord(from, n int) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := from; i < from+n; i++ {
		if i%3 == 0 {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.StringBuilder).Append(fmt.Sprint("text ", i))
		}
		b.Field(1).(*array.Int64Builder).Append(int64(i))
	}
	return b.NewRecordBatch()
}

func longSource(c Client) *Source {
	return &Source{Client: c, Table: table, Snapshot: 1, Via: ViaStorage, Key: "k", Timeout: 20e9, HasID: true,
		Columns: []Column{{Name: "n", As: domain.Int64}, {Name: "s", As: domain.String}}}
}

// mark notes every row of longRecord that arrives whole.
func mark(t *testing.T, seen []bool, chunks []*domain.Chunk) {
	t.Helper()
	for _, c := range chunks {
		must.Hold(t, c.Rows <= chunkRows, "a chunk of %d rows", c.Rows)
		texts := show(&c.ID, c.Rows)
		for i, n := range c.Columns[0].Ints {
			want := fmt.Sprint("text ", n)
			if n%3 == 0 {
				want = "NULL"
			}
			must.Need(t, !seen[n] && texts[i] == want, "row %d: seen %v, text %q, want %q", n, seen[n], texts[i], want)
			seen[n] = true
		}
	}
}

func TestLargeBatchIsCutIntoChunks(t *testing.T) {
	const n = 2*chunkRows + 5
	schema, batches := serialized(t, longRecord(0, n))
	d := must.Value(newArrowDecoder(longSource(Client{}), schema))(t)
	chunks, err := d.decode(batches[0], n)
	must.Need(t, err == nil && len(chunks) == 3, "%d chunks, %v", len(chunks), err)
	seen := make([]bool, n)
	mark(t, seen, chunks)
	must.Hold(t, !slices.Contains(seen, false), "a row is missing")
}

func TestDamagedArrowIsAnError(t *testing.T) {
	schema, batches := serialized(t, longRecord(0, 10))
	src := longSource(Client{})
	for i := 0; i < len(schema); i += 3 {
		must.Fails(newArrowDecoder(src, schema[:i]))(t, "", "%d bytes of %d of a schema are taken", i, len(schema))
	}
	d := must.Value(newArrowDecoder(src, schema))(t)
	for i := 0; i < len(batches[0]); i += 8 {
		_, err := d.decode(batches[0][:i], 10)
		must.Hold(t, err != nil, "%d bytes of %d of a batch are taken", i, len(batches[0]))
	}
	for _, stated := range []int64{9, 11} {
		must.Fails(d.decode(batches[0], stated))(t, "", "a batch of 10 rows that states %d is taken", stated)
	}
	other := *src
	other.Columns = []Column{{Name: "n", As: domain.Bool}, {Name: "missing", As: domain.String}}
	must.Fails(newArrowDecoder(&other, schema))(t, `changed since the run was planned: ["n" "missing"]`)
}

// fakeStorage serves batches in streams, one batch a message.
type fakeStorage struct {
	storagepb.UnimplementedBigQueryReadServer
	schema  []byte
	streams map[string][][]byte
	rows    int64 // of every batch

	mu      sync.Mutex
	asked   *storagepb.CreateReadSessionRequest
	breaks  int        // how many batches are sent before the connection fails, once
	failure codes.Code // with which it fails
}

func (f *fakeStorage) start(t *testing.T) string {
	t.Helper()
	l := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := grpc.NewServer()
	storagepb.RegisterBigQueryReadServer(s, f)
	go func() { _ = s.Serve(l) }() // ends with Stop
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

func (f *fakeStorage) CreateReadSession(_ context.Context, r *storagepb.CreateReadSessionRequest) (*storagepb.ReadSession, error) {
	f.asked = r
	s := &storagepb.ReadSession{Schema: &storagepb.ReadSession_ArrowSchema{ArrowSchema: &storagepb.ArrowSchema{SerializedSchema: f.schema}}}
	for name := range f.streams {
		s.Streams = append(s.Streams, &storagepb.ReadStream{Name: name})
	}
	return s, nil
}

func (f *fakeStorage) ReadRows(r *storagepb.ReadRowsRequest, out storagepb.BigQueryRead_ReadRowsServer) error {
	for i, b := range f.streams[r.ReadStream][r.Offset/f.rows:] {
		f.mu.Lock()
		failed := f.failure != codes.OK && i == f.breaks
		code := f.failure
		if failed && code != codes.PermissionDenied {
			f.failure = codes.OK
		}
		f.mu.Unlock()
		if failed {
			return status.Error(code, "s3cr3t")
		}
		batch := &storagepb.ReadRowsResponse_ArrowRecordBatch{ArrowRecordBatch: &storagepb.ArrowRecordBatch{SerializedRecordBatch: b}}
		if err := out.Send(&storagepb.ReadRowsResponse{RowCount: f.rows, Rows: batch}); err != nil {
			return err
		}
	}
	return nil
}

func TestStorageStreams(t *testing.T) {
	const each, n = 100, 600
	var all []arrow.RecordBatch
	for from := 0; from < n; from += each {
		all = append(all, longRecord(from, each))
	}
	schema, batches := serialized(t, all...)
	cases := []struct {
		name    string
		failure codes.Code
		counted int
		via     Pin
		want    string
	}{
		{"whole", codes.OK, n, AsOfLaunch, ""},
		{"of a query", codes.OK, n, AsRead, ""},
		{"goes on after a failure", codes.Unavailable, n, AsOfLaunch, ""},
		{"rows missing", codes.OK, n + 1, AsOfLaunch, "bigquery: p.d.t: fewer or more rows arrived than the service reports"},
		{"refused", codes.PermissionDenied, n, AsOfLaunch, "bigquery: p.d.t: accessDenied; reading needs"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := &fakeStorage{schema: schema, rows: each, breaks: 1, failure: c.failure, streams: map[string][][]byte{"a": batches[:4], "b": batches[4:]}}
			rest := &fakeSource{Counted: c.counted, Fields: `[{"name":"n","type":"INTEGER"},{"name":"s","type":"STRING"}]`}
			src := longSource(rest.start(t))
			src.Client.Storage = f.start(t)
			src.Columns[0].Type, src.Columns[1].Type = "INT64", "STRING"
			if c.via == AsRead {
				src.Snapshot = 0
			}
			chunks, err := records(*src)
			if c.want != "" {
				must.Need(t, err != nil && strings.HasPrefix(err.Error(), c.want), "got %v, want %s", err, c.want)
				return
			}
			must.Do(t, err)
			seen := make([]bool, n)
			mark(t, seen, chunks)
			must.Hold(t, !slices.Contains(seen, false), "a row is missing")
			wanted := map[Pin]string{AsOfLaunch: "projects/p/datasets/d/tables/t", AsRead: "projects/billed/datasets/_anon/tables/result"}[c.via]
			if s := f.asked.ReadSession; s.Table != wanted || (s.TableModifiers.GetSnapshotTime() != nil) != (c.via == AsOfLaunch) {
				t.Errorf("asked for %v", s)
			} else if fields := s.GetReadOptions().GetSelectedFields(); c.via == AsOfLaunch && !slices.Equal(fields, []string{"n", "s"}) {
				t.Errorf("asked for the columns %q", fields)
			}
		})
	}
}
