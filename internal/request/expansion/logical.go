package expansion

import (
	"errors"
	"io"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx/schema"

	"github.com/dapple-dp/dapple/dp/domain"
)

// The logical types of tables are texts in Go, in the forms that domain files and CSV have. They are what
// internal/transforms/internal/fields reads into dates, moments and exact numbers, and the other way round.
type (
	date    string // 2024-02-29
	micros  string // 2024-02-29T23:59:58.123456Z
	millis  string // 2024-02-29T23:59:58.123Z
	decimal string // 12.50
	fixed   string // the same, of a declared precision
)

// logical is a type of a schema beyond the plain ones.
type logical struct {
	urn     string
	name    string // for people
	text    reflect.Type
	storage reflect.Type // what a schema says that it is; a decimal is written otherwise
	fits    []domain.Type
	read    func(io.Reader) (string, error)
	write   func(string, io.Writer) error
}

var moments = []domain.Type{domain.Timestamp, domain.DateTime}

var logicals = []logical{
	{"beam:logical_type:date:v1", "a date", reflect.TypeFor[date](), reflect.TypeFor[int64](), []domain.Type{domain.Date}, readDate, writeDate},
	{"beam:logical_type:micros_instant:v1", "a timestamp", reflect.TypeFor[micros](), reflect.TypeFor[instant](), moments, readMicros, writeMicros},
	{"beam:logical_type:millis_instant:v1", "a timestamp", reflect.TypeFor[millis](), reflect.TypeFor[int64](), moments, readMillis, writeMillis},
	{"beam:logical_type:decimal:v1", "a decimal", reflect.TypeFor[decimal](), reflect.TypeFor[[]byte](), []domain.Type{domain.Numeric}, readDecimal, writeDecimal},
	{"beam:logical_type:fixed_decimal:v1", "a decimal", reflect.TypeFor[fixed](), reflect.TypeFor[[]byte](), []domain.Type{domain.Numeric}, readDecimal, writeDecimal},
}

func init() {
	for _, l := range logicals {
		beam.RegisterType(l.text)
		schema.RegisterLogicalType(schema.ToLogicalType(l.urn, l.text, l.storage))
		coder.RegisterSchemaProviders(l.text, l.encoder, l.decoder)
	}
}

func (l logical) encoder(reflect.Type) (func(any, io.Writer) error, error) {
	return func(v any, w io.Writer) error { return l.write(reflect.ValueOf(v).String(), w) }, nil
}

func (l logical) decoder(reflect.Type) (func(io.Reader) (any, error), error) {
	return func(r io.Reader) (any, error) {
		text, err := l.read(r)
		return reflect.ValueOf(text).Convert(l.text).Interface(), err
	}, nil
}

// instant is what a micros_instant is on the wire.
type instant struct {
	Seconds int64 `beam:"seconds"`
	Micros  int64 `beam:"micros"`
}

var (
	encodeInstant, _ = coder.RowEncoderForStruct(reflect.TypeFor[instant]()) // plain fields: there is no error
	decodeInstant, _ = coder.RowDecoderForStruct(reflect.TypeFor[instant]())
)

// A value that no date, moment or number of a table is becomes a text that no column holds, and is written as what becomes
// that again: what a record holds must not decide whether a run goes on.
const (
	noDay     = 1 << 30
	noSeconds = 1 << 40
	noScale   = 1 << 20
)

// readDate reads days since 1970.
func readDate(r io.Reader) (string, error) {
	days, err := coder.DecodeVarInt(r)
	if err != nil || days < -719162 || days > 2932896 { // the years 1 to 9999
		return "", err
	}
	return time.Unix(days*86400, 0).UTC().Format(time.DateOnly), nil
}

func writeDate(text string, w io.Writer) error {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return coder.EncodeVarInt(noDay, w)
	}
	return coder.EncodeVarInt(t.Unix()/86400, w)
}

// momentForm is how moments are told: as UTC, whole or with as many digits as need be.
const momentForm = "2006-01-02T15:04:05.999999Z"

// parseMoment reads what a column of TIMESTAMP or DATETIME writes.
func parseMoment(text string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05.999999", strings.TrimSuffix(text, "Z"))
	if err != nil {
		return time.Unix(noSeconds, 0)
	}
	return t
}

func readMicros(r io.Reader) (string, error) {
	v, err := decodeInstant(r)
	if err != nil {
		return "", err
	}
	at := v.(instant)
	return time.Unix(at.Seconds, at.Micros*1000).UTC().Format(momentForm), nil
}

func writeMicros(text string, w io.Writer) error {
	t := parseMoment(text)
	return encodeInstant(instant{t.Unix(), int64(t.Nanosecond() / 1000)}, w)
}

// readMillis reads eight bytes, big end first, of milliseconds that are shifted to be at least 0.
func readMillis(r io.Reader) (string, error) {
	v, err := coder.DecodeUint64(r)
	return time.UnixMilli(int64(v ^ 1<<63)).UTC().Format(momentForm), err
}

func writeMillis(text string, w io.Writer) error {
	t := parseMoment(text)
	return coder.EncodeUint64(uint64(t.UnixMilli())^1<<63, w)
}

// most is the largest scale and the most bytes of a decimal. Larger ones become an empty text, as dates do.
const most = 400

// readDecimal reads a scale and the number's digits, as the bytes of a whole number in two's complement.
func readDecimal(r io.Reader) (string, error) {
	scale, err := coder.DecodeVarInt(r)
	if err != nil {
		return "", err
	}
	b, err := coder.DecodeBytes(r)
	if err != nil {
		return "", err
	}
	if scale < -most || scale > most || len(b) > most {
		return "", nil
	}
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return pointed(n, int(scale)), nil
}

// pointed is n·10^−scale in decimal.
func pointed(n *big.Int, scale int) string {
	digits := new(big.Int).Abs(n).String() + strings.Repeat("0", max(0, -scale))
	if scale > 0 {
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

func writeDecimal(text string, w io.Writer) error {
	whole, fraction, _ := strings.Cut(text, ".")
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return errors.Join(coder.EncodeVarInt(noScale, w), coder.EncodeBytes([]byte{0}, w))
	}
	if err := coder.EncodeVarInt(int64(len(fraction)), w); err != nil {
		return err
	}
	size := n.BitLen()/8 + 1 // two's complement of the fewest bytes that hold the sign
	if n.Sign() < 0 {
		size = new(big.Int).Not(n).BitLen()/8 + 1
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	return coder.EncodeBytes(n.FillBytes(make([]byte, size)), w)
}
