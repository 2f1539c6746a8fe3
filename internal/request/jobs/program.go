package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// ProgramVariable tells a process that an engine has started the SHA-256 of the program that submitted the job.
const ProgramVariable = "DAPPLE_WORKER_SHA256"

// itself is the configuration of an environment of processes of a program that boots itself.
func itself(program string) (config string, err error) {
	sum, err := Digest(program)
	if err != nil {
		return "", err
	}
	b, err := protojson.Marshal(&pipepb.ProcessPayload{Command: program, Env: map[string]string{ProgramVariable: sum}})
	return string(b), err
}

// CheckProgram refuses to work for a job that another program has submitted: workers of two versions would draw and
// count in different ways.
func CheckProgram() error {
	submitted := os.Getenv(ProgramVariable)
	if submitted == "" {
		return errors.New("started without the name of the program that submitted the job: leave --environment_config out, and the command gives it")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	sum, err := Digest(self)
	if err == nil && sum != submitted {
		return errors.New("this machine has another dapple under the name of the one that submitted the job")
	}
	return err
}

// Digest is the SHA-256 of a program, in hex.
func Digest(program string) (string, error) {
	f, err := os.Open(program)
	if err != nil {
		return "", fmt.Errorf("the program for the workers: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
