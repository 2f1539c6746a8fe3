// Command addstage answers: how do I add the stage to a pipeline that I have? Its pipeline reads visits,
// and writes a line for each. One call in between makes them visits of people who do not exist.
//
//	go run ./examples/addstage -out visits.txt
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Visit is the pipeline's own record. Fields belong to columns by name, or by a tag.
type Visit struct {
	Person string `dapple:"person_id"`
	Ward   string
	Age    int64
	Nights *int64 // a pointer: it can be NULL
}

func init() {
	beam.RegisterType(reflect.TypeFor[Visit]())
	register.Function1x1(line)
}

// visits is what a visit can be: public facts, none of them read off the records.
var visits = &domain.Domain{PrivacyID: "person_id", Attributes: []domain.Attribute{
	{Name: "ward", Type: domain.String, Values: []string{"eye", "heart", "bone"}, HasFallback: true},
	{Name: "age", Type: domain.Int64, Cuts: []int64{0, 18, 40, 65, 110}, Resolution: 1, HasFallback: true},
	{Name: "nights", Type: domain.Int64, Cuts: []int64{0, 1, 3, 7, 60}, Resolution: 1, Null: true},
}}

// records stands for wherever the pipeline's visits come from.
func records() []Visit {
	all := make([]Visit, 6000)
	for i := range all {
		all[i] = Visit{Person: fmt.Sprint("p", i/2), Ward: []string{"eye", "heart", "bone"}[i%3], Age: int64(i * 7 % 100)}
		if nights := int64(i % 9); nights > 0 {
			all[i].Nights = &nights
		}
	}
	return all
}

// line is what the pipeline did with visits all along.
func line(v Visit) string {
	nights := "-"
	if v.Nights != nil {
		nights = fmt.Sprint(*v.Nights)
	}
	return fmt.Sprint(v.Ward, " ", v.Age, " ", nights)
}

func main() {
	out := flag.String("out", "visits.txt", "file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

func run(out string) error {
	beamlog.LogLevel = "error"
	beam.Init()
	p, s := beam.NewPipelineWithRoot()

	people := beam.CreateList(s, records())
	people, _ = synth.Synthesize(s, people, synth.Params{Domain: visits, Epsilon: 1, Delta: 1e-9, Rows: 1000}) // the stage
	textio.Write(s, out, beam.ParDo(s, line, people))

	_, err := beam.Run(context.Background(), "prism", p)
	return err
}
