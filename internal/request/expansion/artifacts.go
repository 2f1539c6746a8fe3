package expansion

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// artifacts hands out one file: the program that containers run. It looks at no path that it is asked for.
type artifacts struct {
	jobpb.UnimplementedArtifactRetrievalServiceServer
	program string
}

func artifact(program, sum string) *pipepb.ArtifactInformation {
	return &pipepb.ArtifactInformation{
		TypeUrn: graphx.URNArtifactFileType, TypePayload: encode(&pipepb.ArtifactFilePayload{Path: program, Sha256: sum}),
		RoleUrn: graphx.URNArtifactGoWorkerRole, RolePayload: encode(&pipepb.ArtifactStagingToRolePayload{StagedName: "dapple"}),
	}
}

func (*artifacts) ResolveArtifacts(_ context.Context, req *jobpb.ResolveArtifactsRequest) (*jobpb.ResolveArtifactsResponse, error) {
	return &jobpb.ResolveArtifactsResponse{Replacements: req.GetArtifacts()}, nil
}

// pieceBytes is how much of a file goes in one message; gRPC takes 4 MB.
const pieceBytes = 1 << 20

func (a *artifacts) GetArtifact(req *jobpb.GetArtifactRequest, out jobpb.ArtifactRetrievalService_GetArtifactServer) error {
	if req.GetArtifact().GetRoleUrn() != graphx.URNArtifactGoWorkerRole {
		return status.Error(codes.NotFound, "dapple: this service has no artifact but its own program")
	}
	f, err := os.Open(a.program)
	if err != nil {
		return status.Error(codes.Internal, "dapple: its own program cannot be read")
	}
	defer f.Close()
	buf := make([]byte, pieceBytes)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			if err := out.Send(&jobpb.GetArtifactResponse{Data: buf[:n]}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return status.Error(codes.Internal, "dapple: its own program cannot be read")
		}
	}
}
