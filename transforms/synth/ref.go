package synth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// ModelRef points to a release: by name in a Store, or Inline where the run has none.
type ModelRef struct {
	Path   string
	SHA256 string // of the encoded Artifact, in hex
	Bytes  int64
	Inline []byte
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[ModelRef](), encodeModelRef, decodeModelRef)
	register.Emitter1[ModelRef]()
	register.Emitter2[int, ModelRef]()
	register.Iter1[ModelRef]()
}

// InlineRef returns the reference to an encoded artifact that travels in the pipeline itself.
func InlineRef(artifact []byte) ModelRef { return refTo("", artifact, StoreRef{}) }

// refTo returns the reference to an encoded artifact called path; inline where there is no store.
func refTo(path string, data []byte, store StoreRef) ModelRef {
	sum := sha256.Sum256(data)
	ref := ModelRef{Path: path, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}
	if store.Kind == "" {
		ref.Path, ref.Inline = "", data
	}
	return ref
}

// Read returns the encoded artifact that r points to, after checking that it is that one.
func (r ModelRef) Read(ctx context.Context, store StoreRef) ([]byte, error) {
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
		return nil, fmt.Errorf("synth: release %s has other contents than were announced", r.Path)
	}
	return data, nil
}

var errTwoModels = errors.New("synth: rows of two models came together; nothing is published. " +
	"The job was started again and drew noise twice: count its budget twice, and set Params.Store, with which a second start adopts the first model")

// onlyRef returns the one reference to a model there is.
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

func encodeModelRef(r ModelRef) []byte { return toJSON(r) }

func decodeModelRef(b []byte) (r ModelRef, err error) {
	err = fromJSON(b, &r)
	return r, err
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
