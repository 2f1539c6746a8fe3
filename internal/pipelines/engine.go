package pipelines

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/request/jobs"
)

// Engine is the job service that a run is submitted to, and how. With the zero Engine the run is in this process.
type Engine struct {
	Endpoint    string // host:port of a Beam job service
	Environment string // where workers are: LOOPBACK, PROCESS, EXTERNAL or DOCKER; default: LOOPBACK if the service is on this machine
	Config      string // of the environment: {"command": "…"}, host:port, or an image; PROCESS without one starts Worker itself
	Worker      string // program for the workers, of linux/amd64; default: this one; not used in this process, where launchers name one too
	Parallelism int    // 0: the engine's choice
	JobName     string
	Experiments string // comma-separated
	Shared      bool   // all workers see local paths under the same names
	Detach      bool   // submit, and do not wait

	Cloud Cloud // where and how Dataflow runs a job

	temp   string        // directory for temporary files when the request was validated: the command gives Beam another one later
	runner runner.Runner // what the runner of the request can do here; set when the request is validated
}

// Cloud holds the settings of Dataflow alone.
type Cloud struct {
	Project        string
	Region         string
	Staging        string // gs:// directory for programs, graphs and releases; default: Store, or next to the output
	Machine        string // type of the workers' machines
	MaxWorkers     int
	ServiceAccount string
	Subnetwork     string
	PrivateIPs     bool
	Template       string // gs:// name under which the request is written in place of being sent; empty: it is sent
	DryRun         bool   // the request is the result: nothing is read, staged, charged or sent
}

// runnerNames are the runners of the command, each by all its names.
var runnerNames = []string{
	"prism", "PrismRunner", "direct", "DirectRunner", "flink", "FlinkRunner", "spark", "SparkRunner",
	"universal", "portable", "PortableRunner", "dataflow", "DataflowRunner",
}

// runnerNamed returns a runner of the command; the zero Runner for an unknown name.
func runnerNamed(name string) (r runner.Runner) {
	if slices.Contains(runnerNames, name) {
		r = runner.Named(name)
	}
	return r
}

// dataflowScheme begins the endpoints of Dataflow, which follow from project and region.
const dataflowScheme = "dataflow://"

// withDefaults returns the engine with its settings for a runner, and with what that can do there.
func (e Engine) withDefaults(name string) Engine {
	e.runner, e.temp = runnerNamed(name), cmp.Or(e.temp, os.TempDir())
	if e.runner.Dataflow && !strings.HasPrefix(e.Endpoint, dataflowScheme) {
		at := dataflowScheme + e.Cloud.Project + "/" + e.Cloud.Region
		if e.Endpoint != "" {
			at += "@" + e.Endpoint
		}
		e.Endpoint, e.Environment = at, cmp.Or(e.Environment, string(jobs.Docker))
		e.Config = cmp.Or(e.Config, "gcr.io/cloud-dataflow/v1beta3/beam_go_sdk:"+core.SdkVersion)
		e.JobName = cmp.Or(e.JobName, "dapple-"+strings.ToLower(rand.Text()[:10])) // active jobs have different names
	}
	if e.Endpoint == "" {
		return e
	}
	e.Environment = strings.ToUpper(e.Environment)
	if host, _, err := net.SplitHostPort(e.Endpoint); e.Environment == "" && (err != nil || isThisMachine(host)) {
		e.Environment = string(jobs.Loopback)
	}
	if e.Environment == string(jobs.Docker) {
		e.Config = cmp.Or(e.Config, "apache/beam_go_sdk:"+core.SdkVersion)
	}
	if self, err := os.Executable(); err == nil && e.Worker == "" && runtime.GOOS+"/"+runtime.GOARCH == workerPlatform {
		e.Worker = self
	}
	e.Worker = absolute(e.Worker)
	e.JobName = cmp.Or(e.JobName, "dapple")
	r := &e.runner
	r.Service, r.Dataflow = true, strings.HasPrefix(e.Endpoint, dataflowScheme)
	r.Elsewhere = slices.Contains([]jobs.Environment{jobs.Process, jobs.External, jobs.Docker}, jobs.Environment(e.Environment))
	r.Java = r.Java && !r.Dataflow
	return e
}

// workerPlatform is the platform of Beam's workers in Go.
const workerPlatform = "linux/amd64"

func isThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// name makes local names of a run at a service independent of the working directory.
func (e Engine) name(path string) string {
	if !e.runner.Service || path == "" {
		return path
	}
	return absolute(path)
}

// checkEngine refuses unknown runners, and flags that do not apply to the runner. It sends no request.
func checkEngine(name string, e Engine, f *Faults) {
	if e.runner.Name == "" {
		f.add("--runner", fmt.Sprintf("got %q; want prism or direct, which run in this process, flink, spark, universal or prism at an --endpoint, or dataflow", name), "")
		return
	}
	if !e.runner.Dataflow {
		e.Cloud.checkUnused(f)
	}
	if !e.runner.Service {
		if e.runner.Restarts() {
			f.add("--endpoint", "is required by --runner="+name, "name host:port of Beam's job server for it, which is not the engine's own port")
		}
		e.checkUnused(f)
		return
	}
	if e.runner.Name == "direct" {
		f.add("--endpoint", "is not for --runner="+name+", which runs in this process", "leave it out, or name another runner")
	}
	e.check(f)
}

// checkHere refuses runners that are not of this process.
func checkHere(name string, f *Faults) {
	if r := runnerNamed(name); r.Name == "" || r.Restarts() {
		f.add("--runner", fmt.Sprintf("got %q; want prism or direct, which run in this process", name), "")
	}
}

// checkUnused refuses flags that need an endpoint.
func (e Engine) checkUnused(f *Faults) {
	f.refuse("is for a run at a job service, and this one is in this process", "leave it out, or name the service by --endpoint",
		setFlag{"environment_type", e.Environment != ""}, setFlag{"environment_config", e.Config != ""},
		setFlag{"parallelism", e.Parallelism != 0}, setFlag{"detach", e.Detach}, setFlag{"shared", e.Shared})
}

// checkUnused refuses flags that only Dataflow uses. BigQuery uses a project, too.
func (c Cloud) checkUnused(f *Faults) {
	f.refuse("is for --runner=dataflow", "leave it out",
		setFlag{"region", c.Region != ""}, setFlag{"staging_location", c.Staging != ""}, setFlag{"worker_machine_type", c.Machine != ""}, setFlag{"max_num_workers", c.MaxWorkers != 0},
		setFlag{"service_account_email", c.ServiceAccount != ""}, setFlag{"subnetwork", c.Subnetwork != ""}, setFlag{"no_use_public_ips", c.PrivateIPs},
		setFlag{"template_location", c.Template != ""}, setFlag{"dry_run", c.DryRun})
}

// checkDataflow is check for a run on Dataflow.
func (e Engine) checkDataflow(f *Faults) {
	if e.Cloud.Project == "" {
		f.add("--project", "is required by --runner=dataflow: the project that runs the job and pays for it", "")
	}
	if e.Cloud.Region == "" {
		f.add("--region", "is required by --runner=dataflow, such as europe-west1", "name the region of the bucket")
	}
	if _, address, ok := strings.Cut(e.Endpoint, "@"); ok && !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		f.add("--endpoint", fmt.Sprintf("got %q; want https://… for Dataflow", address), "leave it out for Google's own")
	}
	if e.Environment != string(jobs.Docker) {
		f.add("--environment_type", "Dataflow has workers in containers only", "leave it out; --environment_config names another image")
	}
	if e.Shared {
		f.add("--shared", "workers of Dataflow see no paths of this machine", "leave it out, and name places on gs://")
	}
	if e.Parallelism != 0 {
		f.add("--parallelism", "Dataflow chooses how much it does at a time", "limit it by --max_num_workers")
	}
	if s := e.Cloud.Staging; s != "" && (files.Scheme(s) != "gs" || files.CheckName(s) != nil) {
		f.add("--staging_location", fmt.Sprintf("got %q; want gs://bucket/path", s), "")
	}
	if s := e.Cloud.Template; s != "" && (files.Scheme(s) != "gs" || files.CheckName(s) != nil) {
		f.add("--template_location", fmt.Sprintf("got %q; want gs://bucket/path.json", s), "")
	}
	if e.Cloud.Template != "" && e.Cloud.DryRun {
		f.add("--dry_run", "writes no template", "leave it out, or --template_location")
	}
	e.checkWorker(f)
}

// checkStaging refuses a staging area from which Dataflow cannot fetch the program.
func (e Engine) checkStaging(where run.Area, f *Faults) {
	if e.runner.Dataflow && e.Cloud.Staging == "" && files.Scheme(where.Dir) != "gs" {
		f.add("--staging_location", "is required by --runner=dataflow unless the output or --store is on gs://: a directory for the program of the workers and for the release", "name gs://bucket/path")
	}
}

func (e Engine) check(f *Faults) {
	if e.runner.Dataflow {
		e.checkDataflow(f)
		return
	}
	host, _, err := net.SplitHostPort(e.Endpoint)
	if err != nil {
		f.add("--endpoint", fmt.Sprintf("got %q; want host:port", e.Endpoint), "")
	}
	switch jobs.Environment(e.Environment) {
	case jobs.Loopback:
		if err == nil && !isThisMachine(host) {
			f.add("--environment_type", "LOOPBACK is for an engine on this machine: no other one reaches workers in this process", "use PROCESS, EXTERNAL or DOCKER")
		}
		if e.Detach {
			f.add("--detach", "the workers of LOOPBACK end with this process", "use PROCESS, EXTERNAL or DOCKER")
		}
	case jobs.Process:
		if e.Config != "" && jobs.Command(e.Config) == "" {
			f.add("--environment_config", fmt.Sprintf(`got %q; PROCESS wants {"command": "PROGRAM"}, Beam's boot program by its absolute name`, e.Config), "leave it out: this program is its own")
		}
	case jobs.External:
		if _, _, err := net.SplitHostPort(e.Config); err != nil {
			f.add("--environment_config", fmt.Sprintf("got %q; EXTERNAL wants host:port of a pool of workers", e.Config), "")
		}
	case jobs.Docker:
	case "":
		f.add("--environment_type", "is required if the job service is on another machine", "use PROCESS, EXTERNAL or DOCKER")
	default:
		f.add("--environment_type", fmt.Sprintf("got %q; want LOOPBACK, PROCESS, EXTERNAL or DOCKER", e.Environment), "")
	}
	if e.runner.Elsewhere {
		e.checkWorker(f)
	}
}

// checkWorker checks that there is a program for the workers.
func (e Engine) checkWorker(f *Faults) {
	if e.Worker == "" {
		f.add("--worker_binary", "is required: workers need this program built for "+workerPlatform+", and this one is for "+runtime.GOOS+"/"+runtime.GOARCH,
			"build it by CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build ./pipelines/dapple")
		return
	}
	info, err := os.Stat(e.Worker)
	switch {
	case err != nil:
		f.add("--worker_binary", errtext.PathText(err), "")
	case !info.Mode().IsRegular():
		f.add("--worker_binary", e.Worker+" is not a regular file", "")
	}
}

// checkPlaces refuses names of this machine if workers may be on another one.
func (e Engine) checkPlaces(f *Faults, places map[string]string) {
	if !e.runner.Elsewhere || e.Shared {
		return
	}
	where, fix := "workers of "+e.Environment+" may be on others", "name a place on gs:// or s3://, or say by --shared that all of them see it under this name"
	if e.runner.Dataflow {
		where, fix = "workers of Dataflow are not", "name a place on gs://, or a table of BigQuery"
	}
	for _, flag := range []string{"--input", "--output", "--release", "--store"} {
		if p := places[flag]; p != "" && !files.Remote(p) {
			f.add(flag, fmt.Sprintf("%s is a local path, and %s", p, where), fix)
		}
	}
}

// checkEndpoint checks that a job service answers.
func (e Engine) checkEndpoint(ctx context.Context, f *Faults) {
	c, err := jobs.Dial(ctx, e.Endpoint)
	switch {
	case err != nil && e.runner.Dataflow:
		f.add("--runner=dataflow", err.Error(), "check --project and --region, and log in by gcloud auth application-default login")
	case errors.Is(err, jobs.ErrNoService):
		f.add("--endpoint", err.Error(), "engines have other ports for people and for their own clients: start Beam's job server for the engine, and name its --job-port")
	case err != nil:
		f.add("--endpoint", err.Error(), "start Beam's job server for the engine, and name its --job-port")
	default:
		c.Close()
	}
}
