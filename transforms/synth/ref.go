package synth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// ModelRef points to a release: by name in a Store, or Inline if the run has none. Artifact.Ref makes one.
type ModelRef struct {
	Path   string // name in the store; empty: the encoding is in Inline
	SHA256 string // of the encoded Artifact, in hex
	Bytes  int64  // of the encoding
	Inline []byte // the encoding; nil: it is in the store
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
	sum := sha256.Sum256(data)
	ref := ModelRef{Path: path, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}
	if store.Kind == "" {
		ref.Path, ref.Inline = "", data
	}
	return ref
}

// Read returns the encoded artifact that r points to, after checking its hash.
func (r ModelRef) Read(ctx context.Context, store StoreRef) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	data := r.Inline
	if data == nil {
		s, err := stores.open(store.Kind, store.Config)
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
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != r.SHA256 {
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

// encodeModelRef returns the lengths and bytes of path and hash, the number of bytes, and what is inline as it is:
// every shard carries it.
func encodeModelRef(r ModelRef) []byte {
	b := make([]byte, 0, len(r.Path)+len(r.SHA256)+len(r.Inline)+3*binary.MaxVarintLen64)
	for _, s := range []string{r.Path, r.SHA256} {
		b = wire.AppendText(b, s)
	}
	return append(binary.AppendUvarint(b, uint64(r.Bytes)), r.Inline...)
}

func decodeModelRef(b []byte) (r ModelRef, err error) {
	in := wire.Reader{Rest: b}
	r = ModelRef{Path: in.Text(), SHA256: in.Text(), Bytes: in.Count()}
	if in.Bad {
		return ModelRef{}, errElement
	}
	if len(in.Rest) > 0 {
		r.Inline = bytes.Clone(in.Rest) // the runner's buffer is its own
	}
	return r, nil
}

// toJSON encodes an element of plain data, which always marshals.
func toJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("synth: an element of plain data always marshals")
	}
	return b
}

func fromJSON(b []byte, v any) error {
	if json.Unmarshal(b, v) != nil {
		return errElement
	}
	return nil
}
