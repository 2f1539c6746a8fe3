package synth_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Validate finds what Synthesize would panic about, and Synthesize panics about nothing that it does not find.
func TestValidateFindsWhatSynthesizePanicsAbout(t *testing.T) {
	d := shop([]int64{18, 38, 58, 78, 98})
	spent := &synth.Budget{Epsilon: 1, Delta: 1e-9}
	_, s := beam.NewPipelineWithRoot()
	synth.Synthesize(s, beam.CreateList(s, []customer{{}}), synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9, Budget: spent})
	for name, c := range map[string]struct {
		change func(*synth.Params)
		want   string // empty: nothing is wrong
	}{
		"nothing":            {func(*synth.Params) {}, ""},
		"no epsilon":         {func(p *synth.Params) { p.Epsilon = 0 }, "epsilon 0"},
		"too small epsilon":  {func(p *synth.Params) { p.Epsilon = 1e-12 }, "leave no"},
		"relation":           {func(p *synth.Params) { p.Neighbouring = 9 }, "neighbouring relation"},
		"spent budget":       {func(p *synth.Params) { p.Budget = spent }, "nothing is left"},
		"budget of nothing":  {func(p *synth.Params) { p.Budget = &synth.Budget{} }, "the total of a Budget"},
		"another unit":       {func(p *synth.Params) { p.Budget = spent; p.Domain = nameless(d) }, "their losses do not add"},
		"another method":     {func(p *synth.Params) { p.Method = "rakes" }, `"rakes"`},
		"no columns of rows": {func(p *synth.Params) { p.As = reflect.TypeFor[struct{ X int }]() }, "no exported field"},
		"shards":             {func(p *synth.Params) { p.Shards = -1 }, "-1 shards"},
		"rows":               {func(p *synth.Params) { p.Rows = -1 }, "-1 rows"},
		"error share":        {func(p *synth.Params) { p.ErrorShare = .9 }, "an error share of 0.9"},
		"units":              {func(p *synth.Params) { p.Units = -1 }, "-1 units"},
		"store":              {func(p *synth.Params) { p.Store.Kind = "nowhere" }, `no store is called "nowhere"`},
		"run":                {func(p *synth.Params) { p.RunID = "a b" }, `run ID "a b"`},
	} {
		p := synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9}
		c.change(&p)
		err := p.Validate(reflect.TypeFor[customer]())
		must.Hold(t, (err == nil) == (c.want == "") && (err == nil || strings.Contains(err.Error(), c.want)), "%s: Validate says %v, want %q", name, err, c.want)
		must.Hold(t, err == nil || name != "shards" || !strings.Contains(err.Error(), "branches"), "%s: %v: nobody has set branches", name, err)
		said := func() (said any) {
			defer func() { said = recover() }()
			_, s := beam.NewPipelineWithRoot()
			synth.Synthesize(s, beam.CreateList(s, []customer{{}}), p)
			return nil
		}()
		text, _ := said.(string)
		must.Hold(t, (said != nil) == (err != nil) && (err == nil || strings.Contains(text, err.Error())), "%s: Validate says %v and Synthesize %v", name, err, said)
	}
}

func nameless(d *domain.Domain) *domain.Domain {
	other := *d
	other.PrivacyID = ""
	return &other
}
