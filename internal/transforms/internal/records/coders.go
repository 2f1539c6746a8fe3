package records

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A registered coder: Java runners decode structs by row coders and die on a nil slice, and Beam's row
// coder drops unexported fields.
func init() {
	beam.RegisterCoder(reflect.TypeFor[*Batch](), encodeBatch, DecodeBatch)
}

func encodeBatch(b *Batch) []byte { return b.Encode() }
