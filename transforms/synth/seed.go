package synth

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/mechanism"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[mechanism.Seed](), encodeSeed, decodeSeed)
	register.Function2x0(drawSeed)
	register.Emitter1[mechanism.Seed]()
	register.Iter1[mechanism.Seed]()
}

// seed returns a collection of one secret seed. The reshuffle keeps retries of later steps from drawing another seed.
func seed(s beam.Scope) beam.PCollection {
	s = s.Scope("dapple.Seed")
	return beam.Reshuffle(s, beam.ParDo(s, drawSeed, beam.Impulse(s)))
}

func drawSeed(_ []byte, emit func(mechanism.Seed)) { emit(mechanism.NewSeed()) }

// A Seed has no exported fields: without this coder its bytes would arrive as zeros.

func encodeSeed(s mechanism.Seed) []byte {
	if !s.Usable() {
		return nil // decodes to an error
	}
	return s.Reveal()
}

func decodeSeed(b []byte) (mechanism.Seed, error) { return mechanism.SeedFromBytes(b) }
