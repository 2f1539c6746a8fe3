package modelio

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
)

// ReadFile reads a file, of this machine or gs://bucket/path.
func ReadFile(ctx context.Context, name string) (*File, error) {
	f, info, err := files.OpenAt(ctx, files.Info{Name: name})
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	defer f.Close() // only read from
	m, err := Read(f, info.Size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

var errForm = errors.New("model: not a model file, or a damaged one")

// Read reads the size bytes of r and checks everything: format, domain, sizes, codes, weights and hash.
func Read(r io.ReaderAt, size int64) (f *File, err error) {
	defer func() {
		if recover() != nil { // the library's texts say nothing to a user
			f, err = nil, errForm
		}
	}()
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	// Every byte of the file is read once into a message, and once more into an array.
	in, err := ipc.NewFileReader(io.NewSectionReader(r, 0, size), ipc.WithAllocator(newBudget(4*size+1<<20)))
	if err != nil {
		return nil, errForm
	}
	defer func() { _ = in.Close() }() // it reads from memory
	return read(in, size)
}

func read(in *ipc.FileReader, size int64) (*File, error) {
	f, head, err := parse(in.Schema().Metadata())
	if err != nil {
		return nil, err
	}
	// A record takes 8 bytes at least, which bounds what a false count can allocate.
	if int64(head.records) > size/8 {
		return nil, errForm
	}
	if err := f.checkSchema(in.Schema(), head.listed); err != nil {
		return nil, err
	}
	f.Weights = make([]float64, 0, head.records)
	if head.listed {
		f.Columns = make([][]domain.Code, f.Domain.Len())
	}
	for i := range in.NumRecords() {
		rec, err := in.RecordAt(i)
		if err != nil {
			return nil, errForm
		}
		err = f.add(rec)
		rec.Release()
		if err != nil {
			return nil, err
		}
	}
	if len(f.Weights) != head.records {
		return nil, errForm
	}
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if h, err := f.Hash(); err != nil || hex.EncodeToString(h[:]) != head.hash {
		return nil, errors.New("model: the content does not have the hash that the file states; it is damaged")
	}
	return f, nil
}

// header is what the metadata hold in addition to the fields of File.
type header struct {
	records int
	listed  bool
	hash    string
}

// parse reads the metadata in the order that Write gives them.
func parse(meta arrow.Metadata) (*File, header, error) {
	var (
		f    File
		head header
	)
	keys, values := meta.Keys(), meta.Values()
	if len(keys) < len(ownKeys) || len(keys) != len(values) || !slices.Equal(keys[:len(ownKeys)], ownKeys) {
		return nil, head, errForm
	}
	if values[0] != "1" {
		return nil, head, fmt.Errorf("model: format %.20q; this version reads format 1", values[0])
	}
	var err [4]error
	err[0] = strictJSON(values[1], &f.Domain)
	f.Method = values[2]
	err[1] = strictJSON(values[3], &f.Sizes)
	head.records, err[2] = strconv.Atoi(values[4])
	head.listed, err[3] = strconv.ParseBool(values[5])
	head.hash = values[6]
	if errors.Join(err[:]...) != nil || head.records < 0 {
		return nil, head, errForm
	}
	for i := len(ownKeys); i < len(keys); i++ {
		if i > len(ownKeys) && keys[i] <= keys[i-1] {
			return nil, head, errForm
		}
		if f.Metadata == nil {
			f.Metadata = map[string]string{}
		}
		f.Metadata[keys[i]] = values[i]
	}
	return &f, head, nil
}

// strictJSON refuses fields that this version does not know: they would change what codes mean.
func strictJSON(s string, v any) error {
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.InputOffset() != int64(len(s)) {
		return errForm
	}
	return nil
}

func (f *File) checkSchema(s *arrow.Schema, listed bool) error {
	want := 1
	if listed {
		want += f.Domain.Len()
	}
	if s.NumFields() != want || s.Field(0).Name != "weight" || s.Field(0).Type.ID() != arrow.FLOAT64 {
		return errForm
	}
	for i := 1; i < want; i++ {
		if c := s.Field(i); c.Name != f.Domain.Attributes[i-1].Name || c.Type.ID() != arrow.UINT16 {
			return errForm
		}
	}
	return nil
}

// add appends the records of one batch.
func (f *File) add(rec arrow.Record) error {
	weights, ok := rec.Column(0).(*array.Float64)
	if !ok || weights.NullN() > 0 || len(f.Weights)+weights.Len() > cap(f.Weights) {
		return errForm
	}
	f.Weights = append(f.Weights, weights.Float64Values()...)
	for a := range f.Columns {
		codes, ok := rec.Column(1 + a).(*array.Uint16)
		if !ok || codes.NullN() > 0 || codes.Len() != weights.Len() {
			return errForm
		}
		for _, c := range codes.Uint16Values() {
			f.Columns[a] = append(f.Columns[a], domain.Code(c))
		}
	}
	return nil
}
