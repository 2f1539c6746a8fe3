package expansion

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

type logicalRow struct {
	Day   date
	At    micros
	Price decimal
	Maybe *date
	Ms    millis
	Dec   fixed
}

// The bytes come from apache-beam 2.77.0 in Python, whose RowCoder wrote datetime.date, Timestamp, Decimal, a date or
// None, Timestamp as millis_instant, and Decimal.
func TestLogicalTypesAreThoseOfPython(t *testing.T) {
	before := date("1969-12-31")
	decode := must.Value(coder.RowDecoderForStruct(reflect.TypeFor[logicalRow]()))(t)
	encode := must.Value(coder.RowEncoderForStruct(reflect.TypeFor[logicalRow]()))(t)
	for _, tt := range []struct {
		bytes string
		read  logicalRow
		write logicalRow // as columns are written
	}{
		{
			"0600c69a010200feb484af06c0c407020204e2ffffffffffffffffff018000018df74f7cab0201fb",
			logicalRow{"2024-02-29", "2024-02-29T23:59:58.123456Z", "12.50", &before, "2024-02-29T23:59:58.123Z", "-0.05"},
			logicalRow{"2024-02-29", "2024-02-29T23:59:58.123456Z", "12.50", &before, "2024-02-29T23:59:58.123", "-0.05"},
		},
		{
			"060108c68dd4ffffffffffff010200ffffffffffffffffff01bf843d0109f94eb1607ed0c993cb7ffffffffffffffffdffffffffffffffff010101",
			logicalRow{"0001-01-01", "1969-12-31T23:59:59.999999Z", "-12345678901234567890.1", nil, "1969-12-31T23:59:59.999Z", "1000"},
			logicalRow{},
		},
		{
			"060108a081b301020000000001008000000000000000000180",
			logicalRow{"9999-12-31", "1970-01-01T00:00:00Z", "0", nil, "1970-01-01T00:00:00Z", "-128"},
			logicalRow{"9999-12-31", "1970-01-01T00:00:00Z", "0", nil, "1970-01-01T00:00:00", "-128"},
		},
	} {
		b := must.Value(hex.DecodeString(tt.bytes))(t)
		got, err := decode(bytes.NewReader(b))
		must.Hold(t, err == nil && reflect.DeepEqual(got, tt.read), "%s: %+v, %v; want %+v", tt.bytes, got, err, tt.read)
		if tt.write == (logicalRow{}) {
			continue
		}
		var out bytes.Buffer
		err = encode(tt.write, &out)
		must.Hold(t, err == nil && hex.EncodeToString(out.Bytes()) == tt.bytes, "%+v: %x, %v; want %s", tt.write, out.Bytes(), err, tt.bytes)
	}
}

// What no column holds becomes a text that none holds, and stays one: a record does not end a run.
func TestLogicalValuesOutOfRange(t *testing.T) {
	var b bytes.Buffer
	for _, v := range []int64{3e6, -8e5} {
		must.Do(t, coder.EncodeVarInt(v, &b))
		got, err := readDate(&b)
		must.Hold(t, got == "" && err == nil, "day %d: %q, %v", v, got, err)
	}
	must.Do(t, coder.EncodeVarInt(5000, &b))
	must.Do(t, coder.EncodeBytes([]byte{1}, &b))
	if got, err := readDecimal(&b); got != "" || err != nil {
		t.Errorf("1E-5000: %q, %v", got, err)
	}
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "a", Type: domain.Date, Cuts: []int64{0, 1}, Resolution: 1, Null: true},
		{Name: "b", Type: domain.Timestamp, Cuts: []int64{0, 1}, Resolution: 1, Null: true},
		{Name: "c", Type: domain.Numeric, Cuts: []int64{0, 1}, Resolution: 1, Null: true},
	}}
	enc := domain.NewEncoder(d)
	for _, l := range logicals {
		column := map[domain.Type]int{domain.Date: 0, domain.Timestamp: 1, domain.Numeric: 2}[l.fits[0]]
		for _, bad := range []string{"", "x", "12345-01-01T00:00:00Z"} {
			must.Do(t, l.write(bad, &b))
			again, err := l.read(&b)
			_, ok := enc.FromString(column, again)
			must.Hold(t, !ok && err == nil && b.Len() <= 0, "%s: %q became %q, %v", l.urn, bad, again, err)
		}
	}
}
