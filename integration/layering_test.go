package integration

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const module = "github.com/dapple-dp/dapple/"

// runnersOfBeam are what main imports, and no library: they add 40 MB to a binary.
var runnersOfBeam = []string{
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx",
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal",
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism",
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow",
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/xlang",
}

// testKits are for tests, and for the module below integration.
var testKits = []string{"internal/testkit"}

// releasing is what no solver and no model reaches: post-processing costs nothing only while it cannot reach
// what draws or charges, and what is computed has no place.
var releasing = []string{"dp/internal/noise", "dp/accountant", "dp/mechanism", "transforms", "io", "pipelines", "github.com/apache", "cloud.google.com/", "google.golang.org/"}

// algorithms are the methods of this module; methods use models, not the reverse.
var algorithms = []string{"solver/dpam", "solver/dpfw", "solver/rake", "solver/methods"}

// formats is io without the names of files, under which a budget book is.
var formats = []string{"io/table", "io/schema", "io/csvio", "io/parquetio", "io/jsonio", "io/avroio", "io/arrowio", "io/bigqueryio", "io/postgresio", "io/gs", "io/s3", "io/columns", "io/lines", "io/native", "io/packed"}

// layering says which packages must not reach which, transitively. A key ends in "$" where it means
// that package only; otherwise it means the package and everything below it.
var layering = []struct {
	pkg          string
	mustNotReach []string
	because      string
}{
	{"dp$", []string{"dp/domain", "dp/query", "dp/internal/noise", "dp/accountant", "dp/mechanism", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"},
		"the vocabulary depends on nothing"},
	{"dp", []string{"internal/testkit", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/", "gonum.org/", "cloud.google.com/", "google.golang.org/"},
		"privacy rests on the standard library alone"},
	{"internal/testkit/dptest", []string{"dp/mechanism", "internal/testkit/solvertest", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"},
		"laws are checked by code that does not know the mechanisms"},
	{"internal/testkit/solvertest", []string{"dp/internal/noise", "dp/accountant", "dp/mechanism", "transforms", "io", "pipelines", "github.com/"},
		"a solver is tested with the vocabulary that it is given"},
	{"internal/kit/wire", []string{"dp", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"}, "bytes know nothing of what they mean"},
	{"internal/kit/summation", []string{"dp", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"}, "sums know nothing of what they add"},
	{"internal/kit/background", []string{"dp", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"}, "what runs beside its caller may be any work"},
	{"io/yamltext", []string{"dp", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/", "go.yaml.in/"}, "texts are written whatever they mean"},
	{"internal/kit/bisect", []string{"dp", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"}, "searches know nothing of what they look for"},
	{"internal/model/marginal", []string{"dp/internal/noise", "dp/accountant", "dp/mechanism", "dp/query", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"},
		"where a record is counted depends on its codes alone"},
	{"internal/model/contribution", []string{"dp/internal/noise", "dp/accountant", "dp/mechanism", "dp/query", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"},
		"which record a unit keeps depends on its records alone"},
	{"internal/model/relation", []string{"dp/query", "dp/internal/noise", "dp/accountant", "dp/mechanism", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/apache/", "github.com/aws/"},
		"what follows from declarations looks at no release and no record"},
	{"internal/model/relation/fakes", []string{"dp", "internal/kit", "internal/model", "solver", "transforms", "io", "pipelines"}, "names are made up, and never from the data"},
	{"solver", testKits, "test helpers stay in tests"},
	{"transforms", testKits, "test helpers stay in tests"},
	{"io", testKits, "test helpers stay in tests"},
	{"pipelines", testKits, "test helpers stay in tests"},
	{"pipelines/internal/run", []string{"internal/request/evaluate", "internal/request/plan", "internal/release/report", "io/csvio", "io/parquetio", "io/bigqueryio", "io/gs", "io/s3", "cloud.google.com/", "github.com/aws/", "pipelines$"},
		"the state of a run does not depend on what was asked for, and not on where it is"},
	{"pipelines/internal/anyuser", []string{"net/http", "os/user", "github.com/"}, "what runs before Beam's packages needs os alone"},
	{"integration/research/rivals", testKits, "test helpers stay in tests"},
	{"dp/domain", []string{"dp/query", "dp/internal/noise", "dp/accountant", "dp/mechanism"},
		"what a table may contain is independent of what is asked of it"},
	{"dp/query", []string{"dp/internal/noise", "dp/accountant", "dp/mechanism"},
		"queries do not know how they are answered"},
	{"dp/internal/noise", []string{"dp/accountant", "dp/mechanism", "dp/domain", "dp/query"},
		"samplers know nothing of budgets"},
	{"dp/accountant", []string{"dp/internal/noise", "dp/mechanism", "dp/domain", "dp/query"},
		"budgets know nothing of samplers"},
	{"solver", releasing, "post-processing costs nothing"},
	{"solver/rake", releasing, "post-processing costs nothing"},
	{"solver/dpam", releasing, "post-processing costs nothing"},
	{"solver/dpfw", releasing, "post-processing costs nothing"},
	{"integration/research/rivals", releasing, "post-processing costs nothing"},
	{"solver/methods", releasing, "post-processing costs nothing"},
	{"internal/model/condition", releasing, "post-processing costs nothing"},
	{"internal/model/population", releasing, "post-processing costs nothing"},
	{"internal/model/mrf", releasing, "post-processing costs nothing"},
	{"internal/model/interval", releasing, "intervals are computed from a model, whoever made it"},
	{"internal/model/dense", releasing, "post-processing costs nothing"},
	{"internal/model/population", append([]string{"solver$", "internal/model/dense"}, algorithms...), "methods use models, not the reverse"},
	{"internal/model/mrf", algorithms, "methods use models, not the reverse"},
	{"internal/model/interval", algorithms, "intervals are computed from a model, whoever made it"},
	{"internal/model/dense", algorithms, "methods use models, not the reverse"},
	{"solver/methods", testKits, "test helpers stay in tests"},
	{"internal/model/population", testKits, "test helpers stay in tests"},
	{"solver/rake", testKits, "test helpers stay in tests"},
	{"solver/dpam", testKits, "test helpers stay in tests"},
	{"solver/dpfw", testKits, "test helpers stay in tests"},
	{"transforms/private", []string{"dp/internal/noise", "dp/accountant", "dp/mechanism", "solver", "internal/model/population", "io", "pipelines"},
		"encoding and bounding neither draw nor spend"},
	{"transforms/counts", []string{"dp/internal/noise", "dp/accountant", "dp/mechanism", "solver", "internal/model/population", "io", "pipelines"},
		"counting neither draws nor spends"},
	{"transforms/synth", append([]string{"pipelines", "internal/request/plan"}, formats...),
		"transforms declare the sink that they write to; pipelines picks one"},
	{"transforms/discover", append([]string{"pipelines", "internal/request/plan", "internal/request/evaluate"}, formats...),
		"what is found of a table does not depend on where it is"},
	{"transforms/discover", runnersOfBeam, "runners belong to main and to tests"},
	{"internal/model/cellkind", []string{"dp/internal/noise", "dp/accountant", "dp/mechanism", "dp/query", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"},
		"what a cell is depends on its text alone"},
	{"transforms/private", runnersOfBeam, "runners belong to main and to tests"},
	{"transforms/counts", runnersOfBeam, "runners belong to main and to tests"},
	{"transforms/synth", runnersOfBeam, "runners belong to main and to tests"},
	{"transforms/internal", runnersOfBeam, "runners belong to main and to tests"},
	{"io", []string{"dp/query", "dp/internal/noise", "dp/accountant", "dp/mechanism", "solver", "internal/model/population", "transforms", "pipelines"},
		"formats know records and domains, nothing of privacy"},
	{"io/gs", []string{"dp", "io/dirsink", "io/store", "io/table", "github.com/apache/"},
		"objects know nothing of what they hold"},
	{"io/s3", []string{"dp", "io/dirsink", "io/store", "io/table", "github.com/apache/"},
		"objects know nothing of what they hold"},
	{"io/remote", []string{"dp", "io/dirsink", "io/store", "io/table", "github.com/", "cloud.google.com/", "google.golang.org/"},
		"what stores of objects have in common is of no vendor"},
	{"internal/model/modelfile", append([]string{"io", "github.com/apache/", "cloud.google.com/"}, algorithms...),
		"what workers pass on knows no place and needs no Arrow"},
	{"internal/model/dry", releasing, "dry rows come from no data"},
	{"internal/request/jobs", []string{"dp", "solver", "internal/model/population", "transforms", "io", "pipelines", "internal/testkit"},
		"a job is followed whatever it computes"},
	{"internal/kit/errtext", []string{"dp", "internal", "solver", "transforms", "io", "pipelines", "github.com/"},
		"errors are listed and read whoever wrote them"},
	{"internal/kit/runner", []string{"dp", "internal", "solver", "transforms", "io", "pipelines"},
		"what a runner can do is known whatever it runs"},
	{"internal/request/progress", []string{"internal/request/evaluate", "pipelines", "io/table", "io/schema$", "cloud.google.com/"},
		"how far a run is shows whatever it is for"},
	{"internal/request/expansion", []string{"io/csvio", "io/bigqueryio", "io/gs", "io/s3", "pipelines", "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"},
		"a transform is offered by schemas and options, wherever rows come from; its statement is publish's; the program that links it runs the workers"},
	{"internal/request/expansion", testKits, "test helpers stay in tests"},
	{"transforms/tables", append([]string{"pipelines", "internal/request/evaluate", "io/csvio", "io/bigqueryio", "io/gs", "io/s3", "cloud.google.com/", "github.com/aws/"}, runnersOfBeam...),
		"formats and places are registered, but for the Parquet of released marginals"},
	{"internal/release/publish", []string{"pipelines", "internal/request/evaluate", "io/csvio", "io/bigqueryio", "io/gs", "io/s3", "cloud.google.com/", "github.com/aws/"},
		"what is published follows from the release"},
	{"internal/release/contents", append([]string{"pipelines", "internal/request/plan$", "internal/request/evaluate", "io/csvio", "io/bigqueryio", "io/gs", "io/s3", "cloud.google.com/", "github.com/aws/"}, testKits...),
		"a release is read from its files, whoever made it"},
	{"io/store", []string{"dp", "solver", "internal/model/population", "transforms", "io/dirsink", "io/table", "pipelines", "github.com/apache/"},
		"a store knows nothing of what it holds"},
	{"internal/release/book", []string{"dp/internal/noise", "dp/mechanism", "dp/domain", "dp/query", "solver", "internal/model/population", "transforms", "pipelines", "github.com/apache/", "cloud.google.com/"},
		"a book adds up what runs may lose, and knows nothing of what they do"},
	{"io/files", []string{"dp", "io/dirsink", "io/store", "io/table", "github.com/", "cloud.google.com/", "google.golang.org/"},
		"files know nothing of what they hold, and where they are only by registration"},
	{"io/csvio", []string{"cloud.google.com/", "github.com/apache/arrow/"},
		"a program that reads local CSV links no cloud library and no Arrow"},
	{"io/jsonio", []string{"io/csvio", "io/parquetio", "io/avroio", "io/arrowio", "cloud.google.com/", "github.com/apache/arrow/", "github.com/apache/arrow-go/"}, "a format is one package"},
	{"io/avroio", []string{"io/csvio", "io/parquetio", "io/jsonio", "io/arrowio", "cloud.google.com/", "github.com/apache/arrow/"}, "a format is one package"},
	{"io/arrowio", []string{"io/csvio", "io/parquetio", "io/jsonio", "io/avroio", "cloud.google.com/", "github.com/apache/arrow/"}, "a format is one package"},
	{"io/postgresio", []string{"io/csvio", "io/parquetio", "io/jsonio", "io/avroio", "io/arrowio", "cloud.google.com/", "github.com/apache/arrow/", "github.com/apache/arrow-go/"}, "a place is one package"},
	{"io/lines", []string{"dp", "io/table", "io/schema", "github.com/", "cloud.google.com/"}, "lines know no table"},
	{"io/packed", []string{"dp", "io/table", "io/schema", "github.com/apache/", "cloud.google.com/"}, "compression knows no table"},
	{"io/native", []string{"io/table", "io/schema", "github.com/", "cloud.google.com/"}, "units know no format"},
	{"io/columns", []string{"io/csvio", "io/parquetio", "io/jsonio", "io/avroio", "io/arrowio", "io/bigqueryio", "github.com/apache/arrow/", "cloud.google.com/"}, "arrays know no format"},
	{"io/parquetio/internal/codec", []string{"dp", "internal/kit/errtext", "io/files", "io/schema", "io/table", "github.com/apache/beam/", "cloud.google.com/"},
		"pages know nothing of what their numbers mean"},
	{"io/parquetio", []string{"cloud.google.com/"}, "a program that reads local Parquet links no cloud library"},
	{"io/dirsink", []string{"cloud.google.com/"}, "places are registered"},
	{"io/table", []string{"io/csvio", "io/parquetio", "io/jsonio", "io/avroio", "io/arrowio", "io/bigqueryio", "io/postgresio", "io/gs", "io/s3", "cloud.google.com/", "github.com/aws/", "github.com/apache/arrow/", "github.com/apache/arrow-go/"},
		"formats and places are registered"},
	{"pipelines$", []string{"io/csvio", "io/bigqueryio", "io/gs", "io/s3", "cloud.google.com/", "github.com/aws/"},
		"a run knows no place and no format but the format of the released marginals"},
	{"internal/request/evaluate", []string{"io/csvio", "io/parquetio", "io/bigqueryio", "cloud.google.com/", "github.com/apache/arrow/"}, "formats and places are registered"},
	{"internal/request/infer", []string{"io/csvio", "io/parquetio", "io/bigqueryio", "cloud.google.com/", "github.com/apache/arrow/"}, "formats and places are registered"},
	{"io/store", []string{"cloud.google.com/"}, "places are registered"},
	{"io/dirsink", []string{"dp", "io/csvio", "io/parquetio", "github.com/apache/"},
		"a directory is published whatever its files hold"},
	{"io/schema", []string{"io/files", "cloud.google.com/", "google.golang.org/", "github.com/apache/"},
		"a domain file is text, wherever it comes from"},
	{"transforms/private", []string{"cloud.google.com/"}, "transforms do not know where tables are"},
	{"transforms/counts", []string{"cloud.google.com/"}, "transforms do not know where tables are"},
	{"transforms/synth", []string{"cloud.google.com/", "github.com/apache/arrow/", "github.com/aws/", "go.yaml.in/"}, "transforms take the stores and sinks that pipelines registers"},
	{"examples/ownmethod", append([]string{"cloud.google.com/", "github.com/apache/arrow/", "pipelines"}, formats...),
		"a program that calls Synthesize links no cloud library and no Arrow"},
	{"examples/addstage", append([]string{"github.com/apache/arrow/", "pipelines"}, formats...),
		"a program that calls Synthesize links no Arrow; its runner, prism, links Cloud Storage for Beam's own sake"},
	{"internal/release/answer", append([]string{"pipelines"}, releasing...), "answers are made from released values only"},
	{"internal/release/answer", append(testKits, algorithms...), "answers follow from a model, whoever made it"},
	{"internal/request/plan", testKits, "test helpers stay in tests"},
	{"internal/request/plan", []string{"dp/internal/noise", "dp/mechanism", "transforms", "io", "pipelines$", "internal/request/evaluate", "github.com/apache"},
		"planning sees public inputs only"},
	{"internal/model/theory", []string{"dp/internal/noise", "dp/mechanism", "dp/accountant", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"},
		"what is known of errors follows from released figures"},
	{"internal/release/report/page", []string{"dp", "solver", "internal/model/population", "transforms", "io", "pipelines", "github.com/"},
		"pages know nothing of what they show"},
	{"internal/release/report", []string{"dp/internal/noise", "dp/mechanism", "transforms", "io", "pipelines$", "internal/request/evaluate", "github.com/apache"},
		"reports are made from released values only"},
	{"pipelines$", []string{"internal/request/evaluate"},
		"what is computed from the true table stays apart from what is released"},
	{"internal/request/evaluate", []string{"dp/internal/noise", "dp/accountant", "dp/mechanism", "solver", "internal/model/population", "transforms"},
		"evaluation spends nothing and releases nothing"},
	{"internal/request/infer", []string{"dp/query", "dp/internal/noise", "dp/accountant", "dp/mechanism", "solver", "internal/model/population", "transforms", "pipelines$"},
		"proposals are read off the data and stay apart from what is released"},
	{"internal/request/rules", []string{"io/table", "io/schema", "dp/query", "dp/accountant", "dp/mechanism", "solver", "transforms", "pipelines$"},
		"what holds between columns follows from the records that are handed over"},
	{"internal/request/contract", []string{"io/table", "io/files", "internal/request/infer", "transforms", "solver", "pipelines$"},
		"a contract stands in place of rows, and none is read"},
}

// floors are the rooms from the ground up: a package imports only what stands on its own floor or below. The longest
// matching entry decides. Solver and io share a floor and do not know each other.
var floors = [][]string{
	{"internal/kit", "io/files"},
	{"dp"},
	{"internal/model"},
	{"solver", "internal/model/interval", "io", "internal/release/book"}, // intervals read a solver's result; a step of a pipeline charges a book
	{"transforms"},
	{"internal/release", "transforms/tables"}, // tables is how a program names what release holds
	{"internal/request"},
	{"pipelines"},
}

// stages are the packages of method rake, in the order in which a solve passes values on.
var stages = []string{"solver/rake/internal/oneway", "solver/rake/internal/choose", "solver/rake/internal/fit", "solver/rake/internal/place", "solver/rake"}

// TestStages: a stage imports those before it alone.
func TestStages(t *testing.T) {
	t.Parallel()
	for pkg, list := range goList(t, "Imports") {
		from := slices.Index(stages, pkg)
		must.Hold(t, from >= 0 || !covers("solver/rake", pkg), "%s is no stage", pkg)
		for _, dep := range list {
			to := slices.Index(stages, dep)
			must.Hold(t, from < 0 || to <= from, "%s imports %s, a later stage", pkg, dep)
		}
	}
}

// roomOf drops internal from the name of a package of a room: internal/dp/accountant obeys the rules of dp/accountant, and is
// there because nobody outside needs its names.
func roomOf(pkg string) string {
	if below, ok := strings.CutPrefix(pkg, "internal/"); ok {
		for _, room := range []string{"dp", "io", "solver", "transforms", "pipelines"} {
			if covers(room, below) {
				return below
			}
		}
	}
	return pkg
}

// floorOf returns the floor of a package and the entry of floors that covers it, or -1.
func floorOf(pkg string) (floor int, room string) {
	floor = -1
	for i, rooms := range floors {
		for _, r := range rooms {
			if covers(r, pkg) && len(r) > len(room) {
				floor, room = i, r
			}
		}
	}
	return floor, room
}

func TestFloors(t *testing.T) {
	t.Parallel()
	downward := 0
	for pkg, list := range goList(t, "Imports") {
		from, room := floorOf(pkg)
		if from < 0 {
			must.Hold(t, covers("internal/testkit", pkg) || covers("examples", pkg) || covers("integration", pkg), "%s stands on no floor", pkg)
			continue
		}
		for _, dep := range list {
			to, other := floorOf(dep)
			switch {
			case to > from:
				t.Errorf("%s imports %s, which stands on a higher floor", pkg, dep)
			case to == from && (room == "solver") != (other == "solver") && (room == "io") != (other == "io"):
				t.Errorf("%s imports %s: solver and io do not know each other", pkg, dep)
			case to >= 0 && to < from:
				downward++
			}
		}
	}
	must.Hold(t, downward >= 100, "%d imports run down: the list of floors does not match the packages", downward)
}

func TestLayering(t *testing.T) {
	t.Parallel()
	deps := goList(t, "Deps")
	for _, rule := range layering {
		matched := false
		for pkg, list := range deps {
			if !covers(rule.pkg, pkg) {
				continue
			}
			matched = true
			for _, dep := range list {
				for _, ban := range rule.mustNotReach {
					must.Hold(t, !covers(ban, dep), "%s reaches %s, because: %s", pkg, dep, rule.because)
				}
			}
		}
		must.Hold(t, matched, "rule for %q matches no package: delete it or repair it", rule.pkg)
	}
}

// Only the standard library's cryptographic generator and dp/internal/noise may be the origin of noise.
// math/big reaches math/rand, so this looks at direct imports.
func TestNoGeneralPurposeRandomnessInDP(t *testing.T) {
	t.Parallel()
	for pkg, list := range goList(t, "Imports") {
		if !covers("dp", pkg) {
			continue
		}
		for _, dep := range list {
			must.Hold(t, !covers("std math/rand", dep), "%s imports %s", pkg, dep)
			must.Hold(t, dep != "std crypto/rand" || pkg == "dp/internal/noise", "%s imports %s: only dp/internal/noise draws randomness for privacy", pkg, dep)
		}
	}
}

// goList returns a list field of every package of the root module and of this one. Names of our own packages are
// relative to the root and without the internal of a room (roomOf); names in the standard library have the prefix "std ", since ours are called io too.
func goList(t *testing.T, field string) map[string][]string {
	t.Helper()
	var out []byte
	for _, dir := range []string{"..", ".", "research"} { // the root, this module and the one of methods compared
		list, err := exec.Command("go", "list", "-C", dir, "-f", `{{.ImportPath}}|{{join .`+field+` " "}}`, "./...").Output()
		must.Need(t, err == nil, "go list: %v", err)
		out = append(out, list...)
	}
	lists := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		pkg, list, ok := strings.Cut(strings.TrimSpace(line), "|")
		must.Need(t, ok, "unexpected line of go list: %q", line)
		names := strings.Fields(list)
		for i, name := range names {
			first, _, _ := strings.Cut(name, "/")
			switch {
			case strings.HasPrefix(name, module):
				names[i] = roomOf(strings.TrimPrefix(name, module))
			case !strings.Contains(first, "."):
				names[i] = "std " + name
			}
		}
		room := roomOf(strings.TrimPrefix(pkg, module))
		lists[room] = append(lists[room], names...)
	}
	must.Need(t, len(lists) != 0, "go list names no package: the test would pass on nothing")
	return lists
}

// covers reports whether pattern means pkg: itself, or with no trailing "$" anything below it too. A
// pattern ending in "/" is a plain prefix.
func covers(pattern, pkg string) bool {
	if exact, ok := strings.CutSuffix(pattern, "$"); ok {
		return pkg == exact
	}
	if strings.HasSuffix(pattern, "/") {
		return strings.HasPrefix(pkg, pattern)
	}
	return pkg == pattern || strings.HasPrefix(pkg, pattern+"/")
}

func TestLayeringPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, pkg string
		want         bool
	}{
		{"dp", "dp", true},
		{"dp", "dp/internal/noise", true},
		{"dp", "dptest", false},
		{"dp$", "dp/internal/noise", false},
		{"io", "std io", false},
		{"std math/rand", "std math/rand/v2", true},
		{"github.com/", "github.com/apache/arrow", true},
	} {
		must.Equal(t, covers(c.pattern, c.pkg), c.want, "covers(%q, %q)", c.pattern, c.pkg)
	}
}
