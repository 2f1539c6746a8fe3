package synth

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/solver"
)

// maxInline bounds a release that travels in the pipeline: runners other than prism limit elements to
// some 100 MB, and each shard carries it.
const maxInline = 100 << 20

// Release is a released model in a pipeline. It is public. Solve, Synthesize and Saved make one; the zero Release is of no use.
type Release struct {
	refs     beam.PCollection // of one ModelRef
	domain   *domain.Domain
	workload query.Workload // zero: not known
	store    StoreRef
	run      string
}

// mustBe panics on the zero Release.
func (r Release) mustBe() {
	if r.domain == nil {
		panic("synth: the zero Release; Solve, Synthesize and Saved make one")
	}
}

// Domain returns the domain of the records that were released. Its learned bins are in the model alone.
func (r Release) Domain() *domain.Domain { return r.domain }

// Workload returns the marginals that were asked for; Sizes is nil if the release was saved, and does not say.
func (r Release) Workload() query.Workload { return r.workload }

// RunID names the release: see Params.RunID. It is random if nobody named one.
func (r Release) RunID() string { return r.run }

// Artifacts returns what was released: a PCollection of one *Artifact, with the statement and its ledger, the model,
// the noisy answers and what is known of the errors. It is public, and costs nothing.
func (r Release) Artifacts(s beam.Scope) beam.PCollection {
	r.mustBe()
	return beam.ParDo(s.Scope("dapple.Artifacts"), &artifactFn{Store: r.store}, r.refs)
}

// artifactFn reads the artifact that a reference points to.
type artifactFn struct{ Store StoreRef }

func (f *artifactFn) ProcessElement(ctx context.Context, ref ModelRef, emit func(*Artifact)) error {
	data, err := ref.Read(ctx, f.Store)
	if err != nil {
		return err
	}
	a, err := DecodeArtifact(data)
	if err == nil {
		a.Adopted = ref.Adopted
		emit(a)
	}
	return err
}

// Saved returns a release that was made before, to sample from again. model is the content of its _model.arrow, or what
// Artifact.Encode returned. The domain is the model's, with the bins that it learned; want is the domain that the
// caller expects, or nil. The error says how they differ, or why model is none. It costs no privacy.
func Saved(s beam.Scope, model []byte, want *domain.Domain) (Release, error) {
	a, f, err := readSaved(model)
	if err != nil {
		return Release{}, err
	}
	if want != nil {
		if err := differs(want, &f.Domain); err != nil {
			return Release{}, err
		}
	}
	ref, err := a.Ref()
	if err != nil {
		return Release{}, err
	}
	if ref.Bytes > maxInline {
		return Release{}, fmt.Errorf("synth: a release of %d bytes does not travel in the pipeline, which takes %d: keep it in a Store, and call SavedIn", ref.Bytes, maxInline)
	}
	return SavedIn(s, ref, &f.Domain, StoreRef{}), nil
}

// readSaved reads a model file or an encoded artifact.
func readSaved(b []byte) (*Artifact, *modelfile.File, error) {
	if bytes.HasPrefix(b, []byte(artifactHeader)) {
		return decodeArtifact(b)
	}
	f, err := modelfile.Decode(b)
	if err != nil {
		return nil, nil, fmt.Errorf("synth: %w", err)
	}
	return &Artifact{Method: f.Method, Result: &solver.Result{Total: query.Total{Units: f.Units}, Model: f.Model}, Model: b}, f, nil
}

// ModelArtifact returns the artifact of a model file, the content of _model.arrow. It has the model and the released number
// of units, and no statement.
func ModelArtifact(model []byte) (*Artifact, error) {
	a, _, err := readSaved(model)
	return a, err
}

// differs lists the columns in which the domain of a model is not the one that is wanted. Learned bins are the model's own.
func differs(want, got *domain.Domain) error {
	var errs []error
	if want.PrivacyID != got.PrivacyID {
		errs = append(errs, fmt.Errorf("synth: the model is of privacy ID %q, and the domain says %q", got.PrivacyID, want.PrivacyID))
	}
	if !slices.Equal(want.Names(), got.Names()) {
		return errors.Join(append(errs, fmt.Errorf("synth: the model has columns %q, and the domain %q", got.Names(), want.Names()))...)
	}
	for a := range want.Attributes {
		w, g := want.Attributes[a], got.Attributes[a]
		if w.Learned > 0 {
			w, g = domain.Attribute{Name: w.Name, Type: w.Type}, domain.Attribute{Name: g.Name, Type: g.Type}
		}
		if !bytes.Equal(wire.JSON(w), wire.JSON(g)) {
			errs = append(errs, fmt.Errorf("synth: column %q of the model has another type, other values or other bins than the domain; "+
				"give the domain of the release, or nil", w.Name))
		}
	}
	return errors.Join(errs...)
}

// SavedIn is Saved for a release that ref points to, in a store, or inline if store is the zero StoreRef. d is the domain of
// the release.
func SavedIn(s beam.Scope, ref ModelRef, d *domain.Domain, store StoreRef) Release {
	return Release{refs: beam.Create(s, ref), domain: d, store: store, run: rand.Text()}
}

func init() {
	dofn.Register[artifactFn](dofn.Method3x1("ProcessElement", (*artifactFn).ProcessElement))
	beam.RegisterCoder(reflect.TypeFor[*Artifact](), encodeArtifact, elementArtifact)
	register.Emitter1[*Artifact]()
}

// adopt returns the release that an earlier attempt left in the store, or nil.
func (f *solveFn) adopt(ctx context.Context, name string) ([]byte, error) {
	if f.Params.Store.Kind == "" {
		return nil, nil
	}
	store, err := f.Params.Store.Open()
	if err != nil {
		return nil, err
	}
	data, found, err := store.Get(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("synth: reading release %s: %w", name, err)
	}
	if !found {
		return nil, nil
	}
	return data, f.check(name, data)
}

// keep creates the release in the store, or adopts the one that another attempt has just created.
func (f *solveFn) keep(ctx context.Context, name string, data []byte) (current []byte, adopted bool, err error) {
	if f.Params.Store.Kind == "" {
		if len(data) > maxInline {
			return nil, false, fmt.Errorf("synth: a release of %d bytes does not travel in the pipeline, which takes %d: name a store", len(data), maxInline)
		}
		return data, false, nil
	}
	store, err := f.Params.Store.Open()
	if err != nil {
		return nil, false, err
	}
	current, created, err := store.CreateIfAbsent(ctx, name, data)
	if err != nil {
		return nil, false, fmt.Errorf("synth: keeping release %s: %w", name, err)
	}
	if created {
		return data, false, nil
	}
	return current, true, f.check(name, current)
}

// check fails on a release that was made with another configuration.
func (f *solveFn) check(name string, data []byte) error {
	a, file, err := decodeArtifact(data)
	if err != nil {
		return err
	}
	if config := f.config(); a.Config == hex.EncodeToString(config[:]) {
		return nil
	}
	var differs []string
	for _, d := range []struct {
		what       string
		made, asks any
	}{
		{"ε", a.Statement.Epsilon, float64(f.Params.Epsilon)}, {"δ", a.Statement.Delta, float64(f.Params.Delta)},
		{"the relation", a.Statement.Neighbouring, f.Params.Neighbouring.String()}, {"method", a.Method, f.Params.Method},
	} {
		if d.made != d.asks {
			differs = append(differs, fmt.Sprintf("%s %v, and this request has %v", d.what, d.made, d.asks))
		}
	}
	if own, err := f.Public.Domain.WithBins(a.Result.Bins); err != nil || own.Fingerprint() != file.Domain.Fingerprint() {
		differs = append(differs, "another domain")
	}
	if len(differs) == 0 {
		differs = []string{"the same ε, δ, method and domain, and another workload or setting"}
	}
	return fmt.Errorf("synth: release %s was made with %s: use another run ID", name, strings.Join(differs, "; with "))
}
