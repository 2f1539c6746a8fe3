package records

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Registered coders: Java runners decode structs by row coders and die on a nil slice, and Beam's row
// coder drops unexported fields.
func init() {
	beam.RegisterCoder(reflect.TypeFor[*Batch](), encodeBatch, DecodeBatch)
	beam.RegisterCoder(reflect.TypeFor[*Units](), encodeUnits, DecodeUnits)
}

func encodeBatch(b *Batch) []byte { return b.Encode() }
func encodeUnits(u *Units) []byte { return u.Encode() }
