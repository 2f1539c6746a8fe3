package postgresio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/lines"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

func init() {
	register.Emitter1[*domain.Chunk]()
	beam.RegisterDoFn(reflect.TypeFor[readFn]())
}

// columnsQuery lists the columns of a table in order.
const columnsQuery = `SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, t.typtype
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`

// types are PostgreSQL's types, without their parameters.
var types = map[string]domain.Type{
	"text": domain.String, "character varying": domain.String, "character": domain.String, "uuid": domain.String, "name": domain.String,
	"smallint": domain.Int64, "integer": domain.Int64, "bigint": domain.Int64, "real": domain.Float64, "double precision": domain.Float64,
	"numeric": domain.Numeric, "boolean": domain.Bool, "date": domain.Date, "timestamp without time zone": domain.DateTime,
	"timestamp with time zone": domain.Timestamp, "time without time zone": domain.Time,
}

// parameters are in the name of a type, such as (10,2) of numeric.
var parameters = regexp.MustCompile(`\((\d+)(?:,(\d+))?\)`)

// Describe returns the columns of the table, from the catalogue.
func (s *source) Describe(ctx context.Context, _ schema.CSV) (columns []table.Column, form schema.CSV, err error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, form, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	result := conn.ExecParams(ctx, columnsQuery, [][]byte{[]byte(quoted(s.table))}, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, form, fmt.Errorf("postgres: %s: %w", s.name, result.Err)
	}
	for _, row := range result.Rows {
		kind := string(row[1])
		c := table.Column{Name: string(row[0]), Nullable: string(row[2]) == "f"}
		typ, known := types[parameters.ReplaceAllString(kind, "")]
		switch m := parameters.FindStringSubmatch(kind); {
		case string(row[3]) == "e":
			c.Type = domain.String
		case !known:
			c.Fault = kind + " is not supported; convert it in a view, or leave it out"
		default:
			if c.Type = typ; typ == domain.Numeric {
				c.Scale = 9
				if m != nil {
					c.Scale, _ = strconv.Atoi("0" + m[2]) // digits
					c.Scale = min(c.Scale, 9)
				}
			}
		}
		columns = append(columns, c)
	}
	if len(columns) == 0 {
		return nil, form, fmt.Errorf("postgres: %s: the table has no columns", s.name)
	}
	return columns, form, nil
}

// Check compares the columns with the columns of d, and reads no record.
func (s *source) Check(ctx context.Context, d *domain.Domain, _ schema.CSV) error {
	columns, _, err := s.Describe(ctx, schema.CSV{})
	if err != nil {
		return err
	}
	var errs errtext.Errors
	fields, faults := table.Match(table.Names(columns), d)
	for i, field := range fields {
		switch {
		case faults[i] != "":
			errs.Addf("postgres: %s: %s", s.name, strings.Replace(faults[i], "the file has", "the table has", 1))
		case field < 0:
		case columns[field].Fault != "":
			errs.Addf("postgres: %s: column %q: %s", s.name, columns[field].Name, columns[field].Fault)
		case i == 0 && columns[field].Type != domain.String && columns[field].Type != domain.Int64:
			errs.Addf("postgres: %s: column %q: %s cannot be the privacy ID, which is a text or a whole number; convert the column to one of these", s.name, d.PrivacyID, columns[field].Type)
		case i > 0 && columns[field].Type != d.Attributes[i-1].Type && (columns[field].Type != domain.Float64 || d.Attributes[i-1].Type != domain.Int64):
			errs.Addf("postgres: %s: column %q: %s does not read as %s; change the domain, or convert the column", s.name, columns[field].Name, columns[field].Type, d.Attributes[i-1].Type)
		}
	}
	return errs.Err()
}

// ByMetadata returns true: Check asks the catalogue.
func (s *source) ByMetadata() bool { return true }

// Form returns nothing: cells are not written in a form that people declare.
func (s *source) Form(schema.CSV) schema.CSV { return schema.CSV{} }

// Columns returns the names of the columns.
func (s *source) Columns(ctx context.Context, _ schema.CSV) ([]string, error) {
	columns, _, err := s.Describe(ctx, schema.CSV{})
	return table.Names(columns), err
}

// Identity returns false: nothing tells two states of a table apart.
func (s *source) Identity() (string, bool) { return "", false }

// Bytes returns 0: it is not known.
func (s *source) Bytes() int64 { return 0 }

// Note says when the table is read.
func (s *source) Note() string {
	return "the table is read by one COPY, as it is when the run begins; a worker that is started again reads it as it is then"
}

// Read returns the records in a pipeline, in one element of work.
func (s *source) Read(scope beam.Scope, d *domain.Domain, _ schema.CSV) beam.PCollection {
	scope = scope.Scope("postgresio.Read")
	return beam.ParDo(scope, &readFn{Domain: *d}, beam.Reshuffle(scope, beam.Create(scope, s.name)))
}

// readFn reads the table of a name.
type readFn struct{ Domain domain.Domain }

func (fn *readFn) ProcessElement(ctx context.Context, name string, emit func(*domain.Chunk)) error {
	s, err := parse(name)
	if err != nil {
		return err
	}
	return s.Each(ctx, &fn.Domain, schema.CSV{}, func(c *domain.Chunk) error {
		emit(c)
		return ctx.Err()
	})
}

// Each passes all records to yield, from one statement. Every chunk is a new one.
func (s *source) Each(ctx context.Context, d *domain.Domain, _ schema.CSV, yield func(*domain.Chunk) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is left to be said
	names := d.Names()
	if d.PrivacyID != "" {
		names = append([]string{d.PrivacyID}, names...)
	}
	for i, name := range names {
		names[i] = inQuotes(name)
	}
	r, w := io.Pipe()
	copied := make(chan error, 1)
	go func() {
		_, err := conn.CopyTo(ctx, w, "COPY (SELECT "+strings.Join(names, ", ")+" FROM "+quoted(s.table)+") TO STDOUT")
		copied <- err
		_ = w.CloseWithError(io.EOF) // what went wrong is looked at below
	}()
	in := &rows{r: lines.New(r), d: d, name: s.name}
	if err := table.EachChunk(in.read, yield); err != nil {
		cancel()
		_ = r.Close()                // the copy ends when it writes on
		return cmp.Or(err, <-copied) // the second follows from the first
	}
	return s.fault(<-copied)
}

// fault shows of a server's error its code alone: its message may hold a value.
func (s *source) fault(err error) error {
	var e *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return fmt.Errorf("postgres: %s: the server ended the reading with SQLSTATE %s; its log says more", s.name, e.Code)
	case pgconn.Timeout(err) || errors.Is(err, context.Canceled):
		return fmt.Errorf("postgres: %s: the reading was stopped: %w", s.name, context.Canceled)
	}
	return fmt.Errorf("postgres: %s: the connection broke while the table was read", s.name)
}

// plainNames matches one or two names, each plain or in quotes.
var plainNames = regexp.MustCompile(`^([a-z_][a-z0-9_]*|"([^"]|"")+")(\.([a-z_][a-z0-9_]*|"([^"]|"")+"))?$`)

// quoted returns the name of a table in SQL: one that is well quoted stays, and any other is put in quotes, the schema by
// itself.
func quoted(name string) string {
	if plainNames.MatchString(name) {
		return name
	}
	if first, second, two := strings.Cut(name, "."); two {
		return inQuotes(first) + "." + inQuotes(second)
	}
	return inQuotes(name)
}

func inQuotes(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// rows reads the text form of COPY: a line for each record, tabs between cells, a backslash before what is special. A
// record that is too long has cells that are NULL.
type rows struct {
	r    *lines.Reader
	d    *domain.Domain
	name string
	text []byte // memory of a cell
}

// read fills a new chunk with the next records, and returns io.EOF at the end.
func (in *rows) read(c *domain.Chunk) error {
	texts, first := table.NewTexts(c, in.d, "postgres: "+in.name), 0
	if in.d.PrivacyID == "" {
		first = 1
	}
	for !texts.Full() {
		line, err := in.r.Next()
		record, whole := strings.CutSuffix(string(line), "\n")
		if err != nil || !whole && !in.r.Long { // a line without an end is no record: the copy's error says why
			break
		}
		cells := strings.Split(record, "\t")
		if in.r.Long {
			cells = slices.Repeat([]string{`\N`}, len(c.Columns)+1-first)
		} else if len(cells) != len(c.Columns)+1-first {
			return errors.New("postgres: a record of other columns")
		}
		for i, cell := range cells {
			if cell == `\N` {
				texts.Put(first+i, nil, true)
			} else {
				in.text = unescape(in.text[:0], cell)
				texts.Put(first+i, in.text, false)
			}
		}
		texts.Add(len(line))
	}
	if c.Rows == 0 {
		return io.EOF
	}
	return nil
}

// escapes are what follows a backslash in place of itself.
var escapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

func unescape(dst []byte, cell string) []byte {
	for i := 0; i < len(cell); i++ {
		if cell[i] != '\\' || i+1 == len(cell) {
			dst = append(dst, cell[i])
			continue
		}
		i++
		if c, special := escapes[cell[i]]; special {
			dst = append(dst, c)
		} else {
			dst = append(dst, cell[i])
		}
	}
	return dst
}
