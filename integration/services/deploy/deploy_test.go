package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const examples = "../../../pipelines/deploy/"

// attributes of google_dataflow_flex_template_job in hashicorp/google-beta that the example may have.
var attributes = []string{"provider", "project", "region", "name", "container_spec_gcs_path", "parameters", "staging_location", "temp_location",
	"labels", "on_delete", "machine_type", "max_workers", "num_workers", "network", "subnetwork", "service_account_email", "ip_configuration"}

// The Terraform example parses, has attributes of its resource alone, and gives parameters of the template, none missing.
func TestTerraform(t *testing.T) {
	var template struct {
		Parameters []struct {
			Name       string
			IsOptional bool
		}
	}
	b, err := os.ReadFile(examples + "dataflow/metadata.json")
	if err == nil {
		err = json.Unmarshal(b, &template)
	}
	must.Do(t, err)
	file, faults := hclparse.NewParser().ParseHCLFile(examples + "terraform/main.tf")
	must.Need(t, !faults.HasErrors(), "%v", faults)
	jobs := 0
	for _, block := range file.Body.(*hclsyntax.Body).Blocks {
		if block.Type != "resource" || block.Labels[0] != "google_dataflow_flex_template_job" {
			continue
		}
		jobs++
		for name := range block.Body.Attributes {
			must.Hold(t, slices.Contains(attributes, name), "%s is no attribute of the resource", name)
		}
		pairs, faults := hcl.ExprMap(block.Body.Attributes["parameters"].Expr)
		must.Need(t, !faults.HasErrors(), "%v", faults)
		given := map[string]bool{}
		for _, p := range pairs {
			given[hcl.ExprAsKeyword(p.Key)] = true
		}
		for _, p := range template.Parameters {
			must.Hold(t, p.IsOptional || given[p.Name], "%s is not given", p.Name)
			delete(given, p.Name)
		}
		must.Hold(t, len(given) <= 0, "%v are no parameters of the template", given)
	}
	must.Hold(t, jobs == 1, "%d jobs", jobs)
}

// unknown prints the arguments of the example's operator that the operator's class and those below it do not take.
const unknown = `
import ast, sys, zipfile
source = zipfile.ZipFile(sys.argv[1]).read("airflow/providers/apache/beam/operators/beam.py").decode()
takes = {"task_id", "retries"}  # of every operator
for c in ast.walk(ast.parse(source)):
    if isinstance(c, ast.ClassDef) and c.name == "BeamRunGoPipelineOperator":
        init = next(f for f in c.body if isinstance(f, ast.FunctionDef) and f.name == "__init__")
        takes |= {a.arg for a in init.args.kwonlyargs}
calls = [c for c in ast.walk(ast.parse(open(sys.argv[2]).read())) if isinstance(c, ast.Call) and getattr(c.func, "id", "") == "BeamRunGoPipelineOperator"]
assert len(calls) == 1 and len(takes) > 4, (calls, takes)
print(*({k.arg for k in calls[0].keywords} - takes))
`

// The Airflow example gives its operator arguments that it takes.
func TestAirflow(t *testing.T) {
	wheel := os.Getenv("DAPPLE_AIRFLOW")
	if wheel == "" {
		t.Skip("missing: Airflow's operator for Beam, for DAPPLE_AIRFLOW is not set; make services fetches it")
	}
	out, err := exec.CommandContext(t.Context(), "python3", "-c", unknown, wheel, examples+"airflow/synthetic_table.py").CombinedOutput()
	must.Hold(t, err == nil && string(out) == "\n", "%v, unknown are: %s", err, out)
}
