package fields

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"

	"github.com/dapple-dp/dapple/dp/domain"
)

// BigQuery's client holds a NUMERIC as a *big.Rat. Beam's row coder keeps exported fields alone, and
// big.Rat has none: between two steps every one would become 0. With a schema of its own it arrives. Types with unexported fields must be registered to be
// part of a struct type made at run time.
func init() {
	beam.RegisterSchemaProvider(ratType, ratProvider{})
	beam.RegisterType(ratType)
	beam.RegisterType(timeType)
}

var ratType = reflect.TypeFor[big.Rat]()

// ratRow is what a big.Rat is on the wire.
type ratRow struct {
	Fraction string // in lowest terms: 3/8
}

type ratProvider struct{}

func (ratProvider) FromLogicalType(reflect.Type) (reflect.Type, error) {
	return reflect.TypeFor[ratRow](), nil
}

func (ratProvider) BuildEncoder(reflect.Type) (func(any, io.Writer) error, error) {
	encode, err := coder.RowEncoderForStruct(reflect.TypeFor[ratRow]())
	if err != nil {
		return nil, fmt.Errorf("fields: %w", err)
	}
	return func(v any, w io.Writer) error {
		r := v.(big.Rat)
		return encode(ratRow{r.RatString()}, w)
	}, nil
}

// errRat says nothing of the text: it is private.
var errRat = errors.New("fields: malformed encoding of a big.Rat")

func (ratProvider) BuildDecoder(reflect.Type) (func(io.Reader) (any, error), error) {
	decode, err := coder.RowDecoderForStruct(reflect.TypeFor[ratRow]())
	if err != nil {
		return nil, fmt.Errorf("fields: %w", err)
	}
	return func(r io.Reader) (any, error) {
		v, err := decode(r)
		if err != nil {
			return nil, err
		}
		var out big.Rat
		if _, ok := out.SetString(v.(ratRow).Fraction); !ok {
			return nil, errRat
		}
		return out, nil
	}, nil
}

// power is 10^scale.
func power(scale int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
}

// units returns ⌊r·unit⌋, or the int64 nearest to it.
func units(r *big.Rat, unit *big.Int) int64 {
	n := new(big.Int).Mul(r.Num(), unit)
	n.Div(n, r.Denom()) // rounds down: denominators are positive
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// readRat encodes a *big.Rat, nil being NULL.
func readRat(enc *domain.Encoder, a int, scale int, field reflect.Value) func() (domain.Code, bool) {
	unit, p := power(scale), field.Addr().Interface().(**big.Rat)
	return func() (domain.Code, bool) {
		if *p == nil {
			return enc.Null(a)
		}
		return enc.FromNative(a, units(*p, unit))
	}
}

// writeRat writes numbers in the native unit.
func writeRat(a *domain.Attribute) func(field reflect.Value, col *domain.Column, row int) {
	unit := power(a.Scale)
	return func(f reflect.Value, col *domain.Column, row int) {
		f.Addr().Interface().(*big.Rat).SetFrac(big.NewInt(col.Ints[row]), unit)
	}
}
