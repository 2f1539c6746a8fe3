package engines

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/request/jobs"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// One run goes well; in one a stage fails, and in one all workers are killed while they write, and Spark does both
// again; one is interrupted, and the next publishes its release. Each is charged once, and no worker and no staging is left.
func TestSpark(t *testing.T) {
	lib := jars(t, "DAPPLE_SPARK_SERVER")
	a := open(t, "spark", serve(t, "-Xmx2g", "-Dspark.ui.enabled=false", "-Dspark.driver.host=127.0.0.1", "-Dspark.driver.bindAddress=127.0.0.1",
		"-cp", filepath.Join(lib, "*"), "org.apache.beam.runners.spark.SparkJobServerDriver", "--spark-master-url=local[2,4]"))
	a.finished(t, "well", a.run(t, 0, a.at("well")...), 1)
	t.Run("Domain", a.withoutDomain)

	script := filepath.Join(a.dir, "third")
	digest, err := jobs.Digest(a.program)
	if err == nil { // the third worker that is asked for ends before it has begun
		err = os.WriteFile(script, []byte("#!/bin/sh\nn=$(ls -d \"$0\".* 2>/dev/null | wc -l); mkdir \"$0.$$\"; [ $n = 2 ] && exit 1\nexec "+a.program+" \"$@\"\n"), 0o700)
	}
	must.Do(t, err)
	a.finished(t, "failing", a.run(t, 0, a.at("failing", fmt.Sprintf(`--environment_config={"command": %q, "env": {%q: %q}}`, script, jobs.ProgramVariable, digest))...), 2)
	list, err := filepath.Glob(script + ".*")
	must.Hold(t, err == nil && len(list) >= 4, "workers: %v, %v", list, err)

	_, wait := a.start(t, a.at("dead", "--rows=5000000")...)
	a.found(t, "dapple-run-*/*.release")
	until(t, "a worker that writes", func() bool { return a.kill(t) > 0 }) // Spark starts others for each stage
	status, said := wait()
	must.Hold(t, status == 0, "exit status %d:\n%s", status, said)
	a.finished(t, "dead", said, 3)
	a.interrupted(t, 4)
	a.over(t)
}
