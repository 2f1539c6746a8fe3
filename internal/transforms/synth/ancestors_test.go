package synth

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// buyer is a record, and place is of the same people in another table.
type (
	buyer struct {
		ID int64 `dapple:"id"`
		X  int64
	}
	place struct {
		ID   int64 `dapple:"id"`
		Town string
	}
	plain struct{ X int64 }
)

func init() {
	beam.RegisterType(reflect.TypeFor[buyer]())
	beam.RegisterType(reflect.TypeFor[place]())
	beam.RegisterType(reflect.TypeFor[plain]())
	register.Function1x1(cleaned)
	register.Function1x2(byID)
	register.Function1x2(byPlace)
	register.Function4x0(together)
	register.Iter1[buyer]()
	register.Iter1[place]()
	register.Emitter1[buyer]()
}

func cleaned(b buyer) buyer                                                        { return b }
func byID(b buyer) (int64, buyer)                                                  { return b.ID, b }
func byPlace(p place) (int64, place)                                               { return p.ID, p }
func together(_ int64, b func(*buyer) bool, p func(*place) bool, emit func(buyer)) {}

// Two releases of the same people are refused through cleaning steps and joins, unless they have one Budget. Releases of
// other people are not, and neither is a release of what was released.
func TestReleasesThroughOtherSteps(t *testing.T) {
	total := func() *Budget { return &Budget{Epsilon: 2, Delta: 1e-8} }
	params := Params{Domain: small(), Epsilon: 1, Delta: 1e-9}
	joined := func(s beam.Scope, clean beam.PCollection) beam.PCollection {
		places := beam.CreateList(s, []place{{1, "Rome"}})
		return beam.ParDo(s, together, beam.CoGroupByKey(s, beam.ParDo(s, byID, clean), beam.ParDo(s, byPlace, places)))
	}
	for name, tt := range map[string]struct {
		fails bool
		build func(s beam.Scope, p Params)
	}{
		"clean, and clean again": {true, func(s beam.Scope, p Params) {
			raw := beam.CreateList(s, []buyer{{1, 2}})
			Synthesize(s, beam.ParDo(s, cleaned, raw), p)
			Synthesize(s, beam.ParDo(s, cleaned, raw), p)
		}},
		"clean, and clean and join": {true, func(s beam.Scope, p Params) {
			clean := beam.ParDo(s, cleaned, beam.CreateList(s, []buyer{{1, 2}}))
			Synthesize(s, clean, p)
			Synthesize(s, joined(s, clean), p)
		}},
		"join first": {true, func(s beam.Scope, p Params) {
			clean := beam.ParDo(s, cleaned, beam.CreateList(s, []buyer{{1, 2}}))
			Synthesize(s, joined(s, clean), p)
			Synthesize(s, clean, p)
		}},
		"two tables": {false, func(s beam.Scope, p Params) {
			Synthesize(s, beam.ParDo(s, cleaned, beam.CreateList(s, []buyer{{1, 2}})), p)
			Synthesize(s, beam.ParDo(s, cleaned, beam.CreateList(s, []buyer{{1, 2}})), p)
		}},
		"a release of a release": {false, func(s beam.Scope, p Params) {
			p.Budget = nil
			rows, _ := Synthesize(s, beam.ParDo(s, cleaned, beam.CreateList(s, []buyer{{1, 2}})), p)
			Synthesize(s, beam.ParDo(s, cleaned, rows), p)
		}},
	} {
		for _, shared := range []bool{false, true} {
			p := params
			if shared {
				p.Budget = total()
			}
			_, s := beam.NewPipelineWithRoot()
			said := ""
			func() {
				defer func() {
					if r := recover(); r != nil {
						said = fmt.Sprint(r)
					}
				}()
				tt.build(s, p)
			}()
			if want := tt.fails && !shared; (said != "") != want || want && !strings.Contains(said, "give both the same Budget") {
				t.Errorf("%s, one Budget %v: said %q", name, shared, said)
			}
		}
	}
}
