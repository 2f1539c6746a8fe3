package modelfile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// File is a released model and what rows of it need.
type File struct {
	Version   string        // of dapple, which made the model
	Domain    domain.Domain // with the bins that were learned
	Method    string        // how the model was fitted
	Guarantee string        // what was promised, in words
	Units     float64       // the released number of units
	Cliques   []domain.Clique
	Model     *population.Model // its structural zeros are the Domain's
}

// Validate checks that the parts fit together.
func (f *File) Validate() error {
	if err := f.Domain.Validate(); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if !slices.Equal(f.Model.Sizes, f.Domain.Sizes()) {
		return errors.New("model: the sizes differ from the domain's")
	}
	for _, c := range f.Cliques {
		for k, a := range c {
			if a < 0 || a >= f.Domain.Len() || k > 0 && a <= c[k-1] {
				return errors.New("model: the cliques are not of the domain")
			}
		}
	}
	if cells, _, exact := f.Domain.Universe(); f.Model.Columns == nil && (!exact || cells != int64(f.Model.Len())) {
		return fmt.Errorf("model: %d weights are not one for each cell of the universe", f.Model.Len())
	}
	m := *f.Model
	m.StructuralZeros = f.Domain.StructuralZeros
	return m.Validate()
}

// keys of the metadata.
var keys = []string{"dapple.format", "dapple.version", "dapple.domain", "dapple.method", "dapple.guarantee", "dapple.units", "dapple.cliques",
	"dapple.records", "dapple.listed", "dapple.sha256"}

const format = "3"

// values returns what the metadata say, but for the hash.
func (f *File) values() ([]string, error) {
	d, err := json.Marshal(&f.Domain)
	if err != nil {
		return nil, fmt.Errorf("model: the domain: %w", err)
	}
	c, err := json.Marshal(f.Cliques)
	if err != nil {
		return nil, fmt.Errorf("model: the cliques: %w", err)
	}
	return []string{format, f.Version, string(d), f.Method, f.Guarantee, strconv.FormatFloat(f.Units, 'g', -1, 64), string(c),
		strconv.Itoa(f.Model.Len()), strconv.FormatBool(f.Model.Columns != nil)}, nil
}

// digest returns the hash that the metadata state.
func digest(values []string, body []byte) string {
	h := sha256.New()
	for _, v := range values {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(v))))
		h.Write([]byte(v))
	}
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// names returns the names of the columns.
func (f *File) names(listed bool) []string {
	if !listed {
		return []string{"weight"}
	}
	return append([]string{"weight"}, f.Domain.Names()...)
}

// Encode returns f in the package's form, if it is valid.
func (f *File) Encode() ([]byte, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	values, err := f.values()
	if err != nil {
		return nil, err
	}
	b := layout{f.Model.Len(), len(f.Model.Columns)}
	body := wire.AppendFloats(make([]byte, 0, b.size()), f.Model.Weights)
	for _, col := range f.Model.Columns {
		for _, c := range col {
			body = binary.LittleEndian.AppendUint16(body, uint16(c))
		}
		body = padded(body)
	}
	head, tail := frame(b, f.names(f.Model.Columns != nil), append(values, digest(values, body)))
	return slices.Concat(head, body, tail), nil
}

var errForm = errors.New("model: not a model file, or a damaged one")

// Decode reads what Encode returned and checks everything: frame, domain, sizes, codes, weights and hash. The error for
// a file of another version says which; for another format, a buildinfo.OtherFormat is in it.
func Decode(data []byte) (*File, error) {
	f, by, err := decode(data)
	if w := buildinfo.Written(by); err != nil && w != "" && !errors.As(err, new(*buildinfo.OtherFormat)) {
		err = fmt.Errorf("%w (%s)", err, w)
	}
	return f, err
}

func decode(data []byte) (f *File, by string, err error) {
	said, err := metadata(data)
	if len(said) > 1 {
		by = said[1]
	}
	if err != nil {
		return nil, by, err
	}
	f = &File{Version: said[1], Method: said[3], Guarantee: said[4], Model: &population.Model{}}
	var faults [5]error
	faults[0] = json.Unmarshal([]byte(said[2]), &f.Domain)
	f.Units, faults[1] = strconv.ParseFloat(said[5], 64)
	faults[2] = json.Unmarshal([]byte(said[6]), &f.Cliques)
	records, err := strconv.Atoi(said[7])
	faults[3] = err
	listed, err := strconv.ParseBool(said[8])
	faults[4] = err
	// A record takes 8 bytes at least, which bounds what a false number can allocate.
	if errors.Join(faults[:]...) != nil || f.Domain.Validate() != nil || records < 0 || records > len(data)/8 || math.IsNaN(f.Units) {
		return nil, by, errForm
	}
	b := layout{records: records}
	if listed {
		b.columns = f.Domain.Len()
	}
	if b.columns > 0 && records > len(data)/b.columns {
		return nil, by, errForm
	}
	head, tail := frame(b, f.names(listed), said)
	if len(data) != len(head)+b.size()+len(tail) || string(data[:len(head)]) != string(head) || string(data[len(data)-len(tail):]) != string(tail) {
		return nil, by, errForm
	}
	body := data[len(head) : len(data)-len(tail)]
	if digest(said[:len(said)-1], body) != said[len(said)-1] {
		return nil, by, errors.New("model: the content does not have the hash that the file states; it is damaged")
	}
	f.readModel(b, body, listed)
	if err := f.Validate(); err != nil {
		return nil, by, err
	}
	// A field that this version does not know would change what codes mean.
	if values, err := f.values(); err != nil || !slices.Equal(values, said[:len(said)-1]) {
		return nil, by, errForm
	}
	return f, by, nil
}

// readModel reads the body of a layout.
func (f *File) readModel(b layout, body []byte, listed bool) {
	r := wire.Reader{Rest: body}
	m := f.Model
	m.Sizes, m.StructuralZeros, m.Weights = f.Domain.Sizes(), f.Domain.StructuralZeros, r.Floats(b.records)
	if !listed {
		return
	}
	m.Columns = make([][]domain.Code, b.columns)
	for a := range m.Columns {
		m.Columns[a] = make([]domain.Code, b.records)
		raw := r.Take(uint64(b.columnSize()))
		for i := range m.Columns[a] {
			m.Columns[a][i] = domain.Code(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	}
}
