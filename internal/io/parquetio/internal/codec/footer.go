package codec

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// footer collects the descriptions of row groups in their final form: a tenth of what the library's objects
// take, which grow with the rows.
type footer struct {
	schema *schema.Schema
	props  *parquet.WriterProperties
	rows   int64
	groups int
	list   []byte // the descriptions
	before []byte // what comes before the number of rows
	after  []byte // what comes after the list
}

var errFooter = errors.New("parquet: the library writes an unknown form of footer")

// newFooter returns the footer of a file without rows. The library writes it as
//
//	before, field 3: number of rows, field 4: list of structs, after
//
// where only the number of rows and the list differ between files of one schema.
func newFooter(s *schema.Schema, props *parquet.WriterProperties) (*footer, error) {
	f := &footer{schema: s, props: props}
	empty, err := serialized(metadata.NewFileMetadataBuilder(s, props, nil))
	if err != nil {
		return nil, err
	}
	mark := []byte{1<<4 | thriftInt64, 0, 1<<4 | thriftList, thriftStruct}
	at := bytes.LastIndex(empty, mark)
	if at < 0 {
		return nil, errFooter
	}
	f.before, f.after = empty[:at+1], empty[at+len(mark):]
	return f, nil
}

func serialized(b *metadata.FileMetaDataBuilder) ([]byte, error) {
	m, err := b.Finish()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err = m.WriteTo(&out, nil)
	return out.Bytes(), err
}

// add takes in the row group that describe describes, of the number of rows.
func (f *footer) add(rows int64, describe func(*metadata.RowGroupMetaDataBuilder) error) error {
	b := metadata.NewFileMetadataBuilder(f.schema, f.props, nil)
	if err := describe(b.AppendRowGroup()); err != nil {
		return err
	}
	one, err := serialized(b)
	if err != nil {
		return err
	}
	head := append(binary.AppendVarint(bytes.Clone(f.before), rows), 1<<4|thriftList, 1<<4|thriftStruct)
	if !bytes.HasPrefix(one, head) || !bytes.HasSuffix(one[len(head):], f.after) {
		return errFooter
	}
	f.list = append(f.list, one[len(head):len(one)-len(f.after)]...)
	f.rows, f.groups = f.rows+rows, f.groups+1
	return nil
}

// bytes returns the footer.
func (f *footer) bytes() []byte {
	b := append(binary.AppendVarint(bytes.Clone(f.before), f.rows), 1<<4|thriftList)
	if f.groups < 15 {
		b = append(b, byte(f.groups)<<4|thriftStruct)
	} else {
		b = binary.AppendUvarint(append(b, 15<<4|thriftStruct), uint64(f.groups))
	}
	return append(append(b, f.list...), f.after...)
}
