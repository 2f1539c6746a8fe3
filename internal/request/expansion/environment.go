package expansion

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// Environments are the names of those that a service offers.
var Environments = []string{"local", "anyof", "docker"}

const urnAnyOf = "beam:env:anyof:v1"

// environment returns where the transform's code is at work: local is a pool of processes at endpoint, docker Beam's
// container, to which a runner hands program, whose SHA-256 is sum, and anyof leaves the choice to the runner.
func environment(name, endpoint, program, sum string) (*pipepb.Environment, error) {
	local, err := graphx.CreateEnvironment(context.Background(), graphx.URNEnvExternal, func(context.Context) string { return endpoint })
	if err != nil {
		return nil, fmt.Errorf("expansion: %w", err)
	}
	local.Dependencies = nil // a pool has its program
	if name == "local" {
		return local, nil
	}
	docker := &pipepb.Environment{
		Urn:          graphx.URNEnvDocker,
		Payload:      encode(&pipepb.DockerPayload{ContainerImage: core.DefaultDockerImage}),
		Capabilities: local.GetCapabilities(),
		Dependencies: []*pipepb.ArtifactInformation{artifact(program, sum)},
	}
	switch name {
	case "docker":
		return docker, nil
	case "anyof":
		return &pipepb.Environment{
			Urn:          urnAnyOf,
			Payload:      encode(&pipepb.AnyOfEnvironmentPayload{Environments: []*pipepb.Environment{docker, local}}),
			Capabilities: local.GetCapabilities(),
		}, nil
	}
	return nil, errors.New("expansion: no such environment")
}
