package expansion

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
)

type logicalRow struct {
	Day   date
	At    micros
	Price decimal
	Maybe *date
	Ms    millis
	Dec   fixed
}

// The bytes are those of apache-beam 2.77.0 in Python, whose RowCoder wrote datetime.date, Timestamp, Decimal, a date or
// None, Timestamp as millis_instant, and Decimal.
func TestLogicalTypesAreThoseOfPython(t *testing.T) {
	before := date("1969-12-31")
	decode, err := coder.RowDecoderForStruct(reflect.TypeFor[logicalRow]())
	if err != nil {
		t.Fatal(err)
	}
	encode, err := coder.RowEncoderForStruct(reflect.TypeFor[logicalRow]())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		bytes string
		read  logicalRow
		write logicalRow // as columns are written
	}{
		{
			"0600c69a010200feb484af06c0c407020204e2ffffffffffffffffff018000018df74f7cab0201fb",
			logicalRow{"2024-02-29", "2024-02-29T23:59:58.123456Z", "1250e-2", &before, "2024-02-29T23:59:58.123Z", "-5e-2"},
			logicalRow{"2024-02-29", "2024-02-29T23:59:58.123456Z", "12.50", &before, "2024-02-29T23:59:58.123", "-0.05"},
		},
		{
			"060108c68dd4ffffffffffff010200ffffffffffffffffff01bf843d0109f94eb1607ed0c993cb7ffffffffffffffffdffffffffffffffff010101",
			logicalRow{"0001-01-01", "1969-12-31T23:59:59.999999Z", "-123456789012345678901e-1", nil, "1969-12-31T23:59:59.999Z", "1e3"},
			logicalRow{},
		},
		{
			"060108a081b301020000000001008000000000000000000180",
			logicalRow{"9999-12-31", "1970-01-01T00:00:00Z", "0e0", nil, "1970-01-01T00:00:00Z", "-128e0"},
			logicalRow{"9999-12-31", "1970-01-01T00:00:00Z", "0", nil, "1970-01-01 00:00:00", "-128"},
		},
	} {
		b, err := hex.DecodeString(tt.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decode(bytes.NewReader(b)); err != nil || !reflect.DeepEqual(got, tt.read) {
			t.Errorf("%s: %+v, %v; want %+v", tt.bytes, got, err, tt.read)
		}
		if tt.write == (logicalRow{}) {
			continue
		}
		var out bytes.Buffer
		if err := encode(tt.write, &out); err != nil || hex.EncodeToString(out.Bytes()) != tt.bytes {
			t.Errorf("%+v: %x, %v; want %s", tt.write, out.Bytes(), err, tt.bytes)
		}
	}
}

// What no column holds becomes an empty text: a record does not end a run.
func TestLogicalValuesOutOfRange(t *testing.T) {
	var b bytes.Buffer
	for _, v := range []int64{3e6, -8e5} {
		if err := coder.EncodeVarInt(v, &b); err != nil {
			t.Fatal(err)
		}
		if got, err := readDate(&b); got != "" || err != nil {
			t.Errorf("day %d: %q, %v", v, got, err)
		}
	}
	if err := coder.EncodeVarInt(5000, &b); err != nil {
		t.Fatal(err)
	}
	if err := coder.EncodeBytes([]byte{1}, &b); err != nil {
		t.Fatal(err)
	}
	if got, err := readDecimal(&b); got != "" || err != nil {
		t.Errorf("1E-5000: %q, %v", got, err)
	}
	for _, bad := range []string{"x", "1.2.3", ""} {
		if writeDecimal(bad, &b) == nil || writeDate(bad, &b) == nil || writeMicros(bad, &b) == nil {
			t.Errorf("%q was written", bad)
		}
	}
}
