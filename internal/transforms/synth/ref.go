package synth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// ModelRef points to a release: by name in a Store, or Inline if the run has none. Artifact.Ref makes one. In one process
// the model of a run without a Store stays in memory, and the reference of Release.Refs is good there alone.
type ModelRef struct {
	Path   string // name in the store; empty: the encoding is in Inline
	SHA256 string // of the encoded Artifact, in hex
	Bytes  int64  // of the encoding
	Inline []byte // the encoding; nil: it is in the store

	Adopted bool // an earlier attempt has drawn the release
}

// Validate lists what is missing.
func (r ModelRef) Validate() error {
	var errs []error
	if (r.Path == "") == (r.Inline == nil) {
		errs = append(errs, errors.New("synth: a ModelRef has either a Path or what is Inline"))
	}
	if len(r.SHA256) != 2*sha256.Size {
		errs = append(errs, errors.New("synth: a ModelRef has the SHA-256 of the encoded Artifact, in hex; Artifact.Ref computes it"))
	}
	return errors.Join(errs...)
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[ModelRef](), encodeModelRef, decodeModelRef)
	register.Emitter1[ModelRef]()
	register.Emitter2[int, ModelRef]()
	register.Iter1[ModelRef]()
}

// refTo returns the reference to an encoded artifact stored at path; inline if there is no store.
func refTo(path string, data []byte, store StoreRef) ModelRef {
	ref := ModelRef{Path: path, SHA256: wire.Hash(data), Bytes: int64(len(data))}
	if store.Kind == "" {
		ref.Path, ref.Inline = "", data
	}
	return ref
}

// inProcess is the Path of a release that the process has in memory. It is no name in a store.
const inProcess = ":memory"

// held has the encoded artifacts of this process by their hash, in hex.
var held sync.Map

// local returns the reference that goes on to later steps of a pipeline. What is inline is held by the process if it has
// built the pipeline: a process that also works on it has all workers. Else each shard would carry the model through the
// runner, which keeps several copies of an element.
func (r ModelRef) local(pipeline string) ModelRef {
	if _, here := built.Load(pipeline); here && r.Inline != nil {
		held.LoadOrStore(r.SHA256, r.Inline)
		r.Path, r.Inline = inProcess, nil
	}
	return r
}

// Read returns the encoded artifact that r points to, after checking its hash.
func (r ModelRef) Read(ctx context.Context, store StoreRef) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	data := r.Inline
	if r.Path == inProcess {
		kept, here := held.Load(r.SHA256)
		if !here {
			return nil, errors.New("synth: the release is in the memory of another process: set Params.Store")
		}
		data = kept.([]byte)
	}
	if data == nil {
		s, err := store.Open()
		if err != nil {
			return nil, err
		}
		var found bool
		if data, found, err = s.Get(ctx, r.Path); err != nil {
			return nil, fmt.Errorf("synth: reading release %s: %w", r.Path, err)
		} else if !found {
			return nil, fmt.Errorf("synth: release %s is not in the store: do all workers see the same one?", r.Path)
		}
	}
	if wire.Hash(data) != r.SHA256 {
		return nil, fmt.Errorf("synth: release %q does not have the announced hash", r.Path)
	}
	return data, nil
}

var errTwoModels = errors.New("synth: rows of two models came together; nothing is published. " +
	"The job was started again and drew noise twice: count its budget twice, and set Params.Store, with which a second start adopts the first model")

// onlyRef returns the reference to the only model; several different ones are an error.
func onlyRef(refs func(*ModelRef) bool) (ref ModelRef, err error) {
	if !refs(&ref) {
		return ref, errors.New("synth: rows without a model")
	}
	for other := (ModelRef{}); refs(&other); {
		if other.SHA256 != ref.SHA256 {
			return ref, errTwoModels
		}
	}
	return ref, nil
}

var errElement = errors.New("synth: malformed element")

// Coders are plain functions: workers find functions by name, and all instances of a generic one share
// theirs.

// encodeModelRef returns the lengths and bytes of path and hash, the number of bytes, whether it was adopted, and what is inline as it is.
func encodeModelRef(r ModelRef) []byte {
	b := make([]byte, 0, len(r.Path)+len(r.SHA256)+len(r.Inline)+3*binary.MaxVarintLen64+1)
	for _, s := range []string{r.Path, r.SHA256} {
		b = wire.AppendText(b, s)
	}
	b = binary.AppendUvarint(b, uint64(r.Bytes))
	return append(appendBool(b, r.Adopted), r.Inline...)
}

func decodeModelRef(b []byte) (r ModelRef, err error) {
	in := wire.Reader{Rest: b}
	r = ModelRef{Path: in.Text(), SHA256: in.Text(), Bytes: in.Count()}
	if in.Bad || len(in.Rest) == 0 || in.Rest[0] > 1 {
		return ModelRef{}, errElement
	}
	r.Adopted, in.Rest = in.Rest[0] == 1, in.Rest[1:]
	if len(in.Rest) > 0 {
		r.Inline = bytes.Clone(in.Rest) // the runner's buffer is its own
	}
	return r, nil
}

func appendBool(b []byte, is bool) []byte {
	if is {
		return append(b, 1)
	}
	return append(b, 0)
}

func fromJSON(b []byte, v any) error {
	if json.Unmarshal(b, v) != nil {
		return errElement
	}
	return nil
}
