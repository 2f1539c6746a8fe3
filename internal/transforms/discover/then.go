package discover

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
)

// Then finds the domain of records in a pipeline of its own, on a runner of Beam, and returns what a second pipeline takes:
//
//	found, err := discover.Then(ctx, "prism", people, discover.Params{PrivacyID: "id", Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10)})
//	…
//	file, err := schema.Parse("found", found.File(""))
//	…
//	rows, _ := synth.Synthesize(s, people(s), synth.Params{Domain: file.Domain, Epsilon: 1, Delta: 1e-9, Prior: &found.Prior})
//
// Both pipelines together promise that ε and δ. records adds the reading of the records to a pipeline. By default p.Columns are
// the fields of the records. On a runner whose workers are other processes p.Store is required.
func Then(ctx context.Context, runner string, records func(beam.Scope) beam.PCollection, p Params) (*Found, error) {
	pipeline, s := beam.NewPipelineWithRoot()
	rows := records(s)
	if p.Columns == nil {
		columns, err := ColumnsOf(rows.Type().Type(), p.PrivacyID)
		if err != nil {
			return nil, err
		}
		p.Columns = columns
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	take := &takeFn{Key: rand.Text()}
	beam.ParDo0(s, take, Discover(s, rows, p))
	if _, err := beam.Run(ctx, runner, pipeline); err != nil {
		if own := errtext.Of(err); ctx.Err() == nil && !errors.Is(own, errtext.ErrRunner) {
			return nil, own // without Beam's plan around it
		}
		return nil, fmt.Errorf("discover: %w", err)
	}
	text, err := take.taken(ctx, p)
	if err != nil {
		return nil, err
	}
	return Decode(text)
}

// takeFn hands what was found to the program that waits for it, if that is this process.
type takeFn struct{ Key string }

// handed has what was found, by the key of takeFn.
var handed sync.Map

func (f *takeFn) ProcessElement(found string) error {
	handed.Store(f.Key, []byte(found))
	return nil
}

// taken returns what was found: handed over, or as the store keeps it.
func (f *takeFn) taken(ctx context.Context, p Params) ([]byte, error) {
	if text, here := handed.LoadAndDelete(f.Key); here {
		return text.([]byte), nil
	}
	if p.Store.Kind == "" {
		return nil, errors.New("discover: the workers are other processes, and what they found is lost, with its part of the budget: set Params.Store")
	}
	store, err := p.Store.Open()
	if err != nil {
		return nil, err
	}
	text, _, err := store.Get(ctx, p.RunID+FoundSuffix)
	return text, err
}

func init() {
	dofn.Register[takeFn](dofn.Method1x1("ProcessElement", (*takeFn).ProcessElement))
}
