package synth

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/pipeline"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/solver"
)

// Solve releases a model of the counted units, at the price of p.Epsilon and p.Delta: the one privacy
// budget of the run. It always yields one release, also of no units at all.
//
// It panics on invalid parameters, if the method does not apply to the domain and the workload, and if p.Budget has no
// room. It panics on a second Solve of the same people without a common Budget: the losses of two releases add, and each
// would state its own. The same people are in one PCollection that private.Encode was given, once or again, and in two of
// which one was made of the other or both of a third, through any steps, if the third has the privacy ID: structs with a
// field of that name, alone or in pairs and groups, or chunks. Steps that take the ID off in between, a table that is read
// twice, and a domain without privacy ID hide that: give both one Budget.
func Solve(s beam.Scope, stats counts.Stats, p SolveParams) Release {
	if stats.Domain() == nil {
		panic("synth: Solve was given the zero Stats; counts.Count makes one")
	}
	s = s.Scope("dapple.Solve")
	if err := p.Validate(); err != nil {
		panic(err.Error())
	}
	p = p.withDefaults()
	fn := &solveFn{Params: p, Launch: launchOf(s, p), Public: query.Frame{Domain: *stats.Domain(), Workload: stats.Workload()}, Shape: stats.Shape(), Parts: stats.Parts()}
	if err := fn.fault(); err != nil {
		panic(err.Error())
	}
	var payer any = fn
	if p.Budget != nil {
		payer = p.Budget
	}
	if !sensitive.Spend(stats.Collection(), payer) {
		panic("synth: Solve was given records that another Solve releases from. Each release spends its ε and δ, and losses add, " +
			"which neither statement would say. Sample one release as often as you like; " +
			"for a second one give both the same Budget, the total that they may spend")
	}
	if p.Budget != nil {
		if err := p.Budget.charge(stats.Domain().PrivacyID, p.Epsilon, fn.ledger); err != nil {
			panic(err.Error())
		}
	}
	Watch()
	tables, solve := sensitive.Reveal(stats.Collection()), any(fn)
	if stats.Parts() && p.Store.Kind != "" {
		kept := carry.Carrier{At: p.Parts, Dir: p.RunID + PartsSuffix}
		tables, solve = beam.ParDo(s, &partFn{kept}, tables), &solvePartsFn{*fn, kept}
	}
	if stats.Pieces() {
		solve = &solvePiecesFn{*fn}
	}
	grouped := beam.CoGroupByKey(s, beam.AddFixedKey(s, seed(s)), beam.AddFixedKey(s, tables))
	refs := beam.Reshuffle(s, beam.ParDo(s, solve, grouped))
	sensitive.Publish(pipeline.Node(refs))
	return Release{refs: refs, domain: stats.Domain(), workload: stats.Workload(), store: p.Store, run: p.RunID}
}

func init() {
	dofn.Register[solveFn](dofn.Method5x1("ProcessElement", (*solveFn).ProcessElement))
	register.Iter1[*counts.Table]()
}

// solveFn charges, draws and solves.
type solveFn struct {
	Params SolveParams
	Launch launch
	Public query.Frame
	Shape  counts.Shape
	Parts  bool // there may be several tables, which add up
}

// fault chooses the method, or says why no release can be made: nothing more is found at construction but what concerns the
// records of one pipeline.
func (f *solveFn) fault() error {
	if err := f.choose(); err != nil {
		return err
	}
	var errs []error
	if r := runnerOf(f.Params.Runner); f.Shape.Records && f.Params.Store.Kind == "" && r.Restarts() {
		errs = append(errs, fmt.Errorf("synth: Store is required with runner %s for this table: its records are kept until the model is fitted, because bins are learned "+
			"or marginals have too many cells for tables, and without a Store they are one element of the pipeline, for which such runners have no memory. "+
			"Set a Store that all workers see, or declare bins, edges or values, or take a smaller Workload", r.Name))
	}
	if f.Params.Budget != nil {
		_, _, err := f.Params.Budget.admitting(f.Public.Domain.PrivacyID, f.Params.Epsilon, f.ledger)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// choose replaces "auto" by the method that the public rule names, and checks that the method applies.
func (f *solveFn) choose() error {
	if f.Public.Domain.Events != nil && !f.Public.Workload.Whole() {
		return errors.New("synth: with events, linear queries have values of -1, 0 and 1 only")
	}
	if e := f.Public.Domain.Events; e != nil && !slices.ContainsFunc(f.Public.Workload.Marginals, func(m query.Marginal) bool { return m.Clique.Contains(domain.Clique{e.Columns}) }) {
		return errors.New("synth: no marginal of the workload has the number of a person's rows, so nothing would be known of it: make the workload by query.WithRows")
	}
	f.Params.Delta = methods.Delta(f.problem(nil), f.Params.Method)
	m, _, err := methods.Choose(f.problem(nil), f.Params.Method)
	if err != nil {
		return fmt.Errorf("synth: method %q: %w", f.Params.Method, err)
	}
	f.Params.Method = m.Name
	_, err = f.ledger(f.Params.Epsilon)
	return err
}

// ledger opens the ledger of the chosen method at an ε.
func (f *solveFn) ledger(epsilon dp.Epsilon) (*accountant.Ledger, error) {
	p := f.problem(nil)
	p.Epsilon = epsilon
	m, err := methods.Lookup(f.Params.Method)
	if err != nil {
		return nil, err
	}
	ledger, _, err := openLedger(m, p, f.Params.Prior)
	return ledger, err
}

func (f *solveFn) problem(progress solver.Progress) solver.Problem {
	return solver.Problem{
		Domain: &f.Public.Domain, Workload: f.Public.Workload, Neighbouring: f.Params.Neighbouring,
		Epsilon: f.Params.Epsilon, Delta: f.Params.Delta, Units: f.Params.Units,
		MemoryLimit: f.Params.MemoryLimit, Rounds: f.Params.Rounds, Seed: f.Params.SolverSeed, Criteria: f.Params.Criteria, ErrorShare: solver.ErrorShare(f.Params.ErrorShare), Public: f.Params.Public, Progress: progress,
		Composed: f.Params.Prior != nil || f.Params.Budget != nil || f.Params.Book != "",
	}
}

func (f *solveFn) ProcessElement(ctx context.Context, _ int, seeds func(*mechanism.Seed) bool, tables func(**counts.Table) bool, emit func(ModelRef)) error {
	return f.release(ctx, seeds, func() (*counts.Table, error) { return f.table(tables) }, emit)
}

// release emits the release of the run: an earlier attempt's, or one of the counts that read returns.
func (f *solveFn) release(ctx context.Context, seeds func(*mechanism.Seed) bool, read func() (*counts.Table, error), emit func(ModelRef)) error {
	if err := f.claim(ctx); err != nil {
		return err
	}
	name := f.Params.RunID + ReleaseSuffix
	data, err := f.adopt(ctx, name)
	if err != nil {
		return err
	}
	adopted := data != nil
	if !adopted {
		if data, err = f.solve(ctx, seeds, read); err != nil {
			return err
		}
		if data, adopted, err = f.keep(ctx, name, data); err != nil {
			return err
		}
	}
	f.tell(ctx, adopted)
	ref := refTo(name, data, f.Params.Store)
	ref.Adopted = adopted
	emit(ref.local(f.Launch.Pipeline))
	return nil
}

func (f *solveFn) solve(ctx context.Context, seeds func(*mechanism.Seed) bool, read func() (*counts.Table, error)) ([]byte, error) {
	secret, err := onlySeed(seeds)
	if err != nil {
		return nil, err
	}
	table, err := read()
	if err != nil {
		return nil, err
	}
	problem := f.problem(solving(ctx))
	method, err := methods.Lookup(f.Params.Method)
	if err != nil {
		return nil, err
	}
	ledger, planned, err := openLedger(method, problem, f.Params.Prior)
	if err != nil {
		return nil, err
	}
	config, drawn := f.config(), false
	var paid *BookEntry
	curator, err := mechanism.New(coarsening{table}, mechanism.Params{
		Sizes: f.Public.Domain.RecordSizes(), Ledger: ledger, Root: mechanism.NewRoot(secret, config, table.Digest()),
		Admit: newPlanned(problem, planned).admit,
		BeforeNoise: func() error {
			var err error
			if paid, err = f.charge(ctx, ledger.Run()); err == nil {
				err = f.mark(ctx)
			}
			drawn = err == nil
			return err
		},
	})
	if err != nil {
		return nil, f.spent(drawn, err)
	}
	result, err := solved(ctx, method, problem, curator)
	if err != nil {
		return nil, f.spent(drawn, fmt.Errorf("synth: method %s: %w", method.Name, err))
	}
	binned, err := f.Public.Domain.WithBins(result.Bins)
	if err != nil {
		return nil, f.spent(drawn, fmt.Errorf("synth: model of method %s: %w", method.Name, err))
	}
	if len(problem.Criteria.Limits) > 0 {
		w, model, limits := problem.Criteria.Ask(result)
		met, err := curator.Accept(solver.CriteriaStage, w, model, limits, problem.Criteria.Share)
		if err != nil {
			return nil, f.spent(drawn, fmt.Errorf("synth: checking the criteria: %w", err))
		}
		result.Accepted = &met
	}
	a := &Artifact{
		RunID: f.Params.RunID, Config: hex.EncodeToString(config[:]), Method: method.Name,
		Result: result, Statement: ledger.Statement(schedule(planned, ledger.Events())),
	}
	a.Statement.Together, a.Book = f.Params.Budget.total(), paid
	file := modelfile.File{
		Version: buildinfo.Version(), Domain: *binned, Method: a.Method, Guarantee: a.Statement.Guarantee(binned.PrivacyID),
		Units: result.Total.Units, Cliques: refined(f.Public.Workload, binned.Sizes()), Model: result.Model,
	}
	if a.Model, err = file.Encode(); err != nil {
		return nil, f.spent(drawn, fmt.Errorf("synth: model of method %s: %w", method.Name, err))
	}
	return a.Encode()
}

// solved runs a method. A panic of it becomes an error that says where, and not what with: its text may hold a value.
func solved(ctx context.Context, m solver.Method, p solver.Problem, c solver.Curator) (r *solver.Result, err error) {
	defer func() {
		if recover() != nil {
			r, err = nil, fmt.Errorf("it panicked at %s", panicked())
		}
	}()
	return m.Solve(ctx, p, c)
}

// panicked returns the function and line at which the panic that is being recovered began.
func panicked() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	for begun := false; ; {
		frame, more := frames.Next()
		if begun && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s, line %d", frame.Function, frame.Line)
		}
		begun = begun || frame.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}

// refined returns the marginals whose tables rows are refined to; none if there are too many for any number of rows.
func refined(w query.Workload, sizes []int) []domain.Clique {
	cliques := w.Maximal().Cliques()
	if !population.Fits(1, cliques, sizes) {
		return nil
	}
	return cliques
}

// coarsening is a table whose records change to the codes of learned bins.
type coarsening struct{ *counts.Table }

// Coarsen returns the counts on coarser codes.
func (c coarsening) Coarsen(codes query.Recoding) mechanism.Counts { return c.Table.Coarsen(codes) }

// onlySeed returns the one seed there is. Noise drawn with a known or a used seed hides nothing.
func onlySeed(seeds func(*mechanism.Seed) bool) (s mechanism.Seed, err error) {
	if !seeds(&s) || !s.Usable() {
		return s, errors.New("synth: the run has no seed")
	}
	var second mechanism.Seed
	if seeds(&second) {
		return s, errors.New("synth: the run has more than one seed")
	}
	return s, nil
}

// table returns the counts there are, else zero counts.
func (f *solveFn) table(tables func(**counts.Table) bool) (*counts.Table, error) {
	sum, n := counts.NewTable(f.Shape), 0
	for t := (*counts.Table)(nil); tables(&t); t = nil {
		if n++; n > 1 && !f.Parts {
			return nil, errors.New("synth: the run has more than one table of counts")
		}
		if !f.Parts {
			sum = t
		} else if err := sum.Merge(t); err != nil {
			return nil, err
		}
	}
	return sum, nil
}
