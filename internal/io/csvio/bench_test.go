package csvio

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const sevenColumns = `
privacy_id: none
columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: income, type: STRING, values: [<=50K, '>50K'], other: true}
  - {name: race, type: STRING, values: [White, Black, Other], other: true}
  - {name: marital, type: STRING, values: [Never-married, Divorced, Widowed], other: true}
  - {name: occupation, type: STRING, values: [Adm-clerical, Sales, Tech-support], other: true}
  - {name: education, type: STRING, values: [Bachelors, HS-grad, 11th], other: true}
  - {name: age, type: INT64, min: 17, max: 90, bins: 20, null: true}
`

const benchRows = 50_000

func sevenFile() []byte {
	var b bytes.Buffer
	b.WriteString("sex,income,race,marital,occupation,education,age\n")
	for i := range benchRows {
		fmt.Fprintf(&b, "%s,<=50K,White,%s,Adm-clerical,Bachelors,%d\n",
			[]string{"Female", "Male"}[i%2], []string{"Never-married", "Divorced", "Widowed"}[i%3], 17+i%70)
	}
	return b.Bytes()
}

func BenchmarkRead7(b *testing.B)       { benchmarkRead(b, false) }
func BenchmarkReadEncode7(b *testing.B) { benchmarkRead(b, true) }

func benchmarkRead(b *testing.B, encode bool) {
	d, file := parse(b, sevenColumns).Domain, sevenFile()
	enc, codes := domain.NewEncoder(d), make([]domain.Code, chunkRows*d.Len())
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	var chunk domain.Chunk
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(file), "p", d, schema.CSV{})
		must.Do(b, err)
		for err = r.Read(&chunk); err == nil; err = r.Read(&chunk) {
			if encode {
				enc.Encode(&chunk, codes[:chunk.Rows*d.Len()])
			}
		}
	}
	b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

func BenchmarkWrite7(b *testing.B) {
	d := parse(b, sevenColumns).Domain
	var chunk domain.Chunk
	domain.NewDecoder(d).Decode(&chunk, make([]domain.Code, benchRows*d.Len()), func(int, int) uint64 { return 0 })
	b.ReportAllocs()
	for b.Loop() {
		w := must.Value(NewWriter(io.Discard, d, ""))(b)
		must.Do(b, w.Write(&chunk))
		must.Do(b, w.Close())
	}
	b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
