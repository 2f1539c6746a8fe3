package synth

import (
	"crypto/sha256"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
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

// config returns the digest of everything that the noise and the model depend on besides the counts.
func (f *solveFn) config() [sha256.Size]byte {
	c := struct {
		Params   SolveParams
		Domain   domain.Domain
		Workload query.Workload
		Shape    counts.Shape
	}{f.Params, f.Public.Domain, f.Public.Workload, f.Shape}
	c.Params.Store, c.Params.Parts, c.Params.Book, c.Params.Runner, c.Params.NoStore = StoreRef{}, StoreRef{}, "", "", ""
	return sha256.Sum256(wire.JSON(c))
}
