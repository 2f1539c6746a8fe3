package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/opencontainers/go-digest"
	ociv1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

// unpack writes the files of an archive below dir.
func unpack(t *testing.T, r io.Reader, dir string) {
	t.Helper()
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		must.Do(t, err)
		at, mode := filepath.Join(dir, filepath.FromSlash(h.Name)), h.FileInfo().Mode()
		if h.Typeflag == tar.TypeDir {
			err = errors.Join(os.MkdirAll(at, 0o755), os.Chmod(at, mode))
		} else if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
			b, e := io.ReadAll(in)
			err = errors.Join(e, os.WriteFile(at, b, mode))
		}
		must.Do(t, err)
	}
}

// made writes an image and unpacks it: its layout, what it says of itself, and the files that a container sees.
func made(t *testing.T, args ...string) (layout string, config ociv1.Image, files string) {
	t.Helper()
	layout, files = t.TempDir(), t.TempDir()
	out := filepath.Join(layout, "image.tar")
	must.Do(t, image(append(args, "-root="+root, out)))
	b, err := os.ReadFile(out)
	must.Do(t, err)
	unpack(t, bytes.NewReader(b), layout)
	blob := func(d ociv1.Descriptor, v any) []byte {
		b := must.Value(os.ReadFile(filepath.Join(layout, filepath.FromSlash(blobName(d.Digest)))))(t)
		must.Need(t, digest.FromBytes(b) == d.Digest && int64(len(b)) == d.Size, "blob %s is not what its name says", d.Digest)
		must.Need(t, v == nil || json.Unmarshal(b, v) == nil, "blob %s: %.200s", d.Digest, b)
		return b
	}
	var index ociv1.Index
	var manifest ociv1.Manifest
	b, err = os.ReadFile(filepath.Join(layout, ociv1.ImageIndexFile))
	must.Need(t, err == nil && json.Unmarshal(b, &index) == nil && len(index.Manifests) == 1, "%v: %s", err, b)
	blob(index.Manifests[0], &manifest)
	blob(manifest.Config, &config)
	must.Need(t, len(manifest.Layers) == len(config.RootFS.DiffIDs), "%d layers, %d of them in the configuration", len(manifest.Layers), len(config.RootFS.DiffIDs))
	for i, l := range manifest.Layers {
		z := must.Value(gzip.NewReader(bytes.NewReader(blob(l, nil))))(t)
		plain, err := io.ReadAll(z)
		must.Need(t, err == nil && digest.FromBytes(plain) == config.RootFS.DiffIDs[i], "layer %d: %v", i, err)
		unpack(t, bytes.NewReader(plain), files)
	}
	return layout, config, files
}

// TestImageRuns: the image's program makes a synthetic table of a directory that is mounted, under a user ID without a
// name, in a root that holds nothing else.
func TestImageRuns(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("missing: root on Linux, who alone can change the root of a process")
	}
	if testing.Short() {
		t.Skip("missing: time to pack the program; make integration runs it")
	}
	dapple, err := program.Build(root, t.TempDir())
	must.Do(t, err)
	_, config, files := made(t, "-program="+dapple, "-version=v0.1.0")
	libraries, _ := exec.Command("ldd", dapple).Output() // a static program has no libraries; programs of tests may have some
	for _, m := range regexp.MustCompile(`(?m)(/\S+) \(0x`).FindAllStringSubmatch(string(libraries), -1) {
		b, err := os.ReadFile(m[1])
		if err = errors.Join(err, os.MkdirAll(filepath.Join(files, filepath.Dir(m[1])), 0o755)); err == nil {
			err = os.WriteFile(filepath.Join(files, m[1]), b, 0o755)
		}
		must.Do(t, err)
	}
	data, table := filepath.Join(files, "data"), "person,ward,nights\n"
	for i := range 2000 {
		table += strings.Join([]string{string(rune('a'+i%26)) + strings.Repeat("x", i/26), []string{"eye", "heart"}[i%2], []string{"1", "2", "3"}[i%3]}, ",") + "\n"
	}
	err = errors.Join(os.Chmod(files, 0o755), os.Mkdir(data, 0o777), os.Chmod(data, 0o777), os.WriteFile(filepath.Join(data, "visits.csv"), []byte(table), 0o644))
	must.Do(t, err)
	in := func(args ...string) string {
		run := &exec.Cmd{Path: config.Config.Entrypoint[0], Args: append(config.Config.Entrypoint, args...), Dir: "/", Env: append([]string{"A=b"}, config.Config.Env...),
			SysProcAttr: &syscall.SysProcAttr{Chroot: files, Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}}
		out, err := run.CombinedOutput()
		must.Need(t, err == nil, "%v\n%s", err, out)
		return string(out)
	}
	said := in("synth", "/data/visits.csv", "--privacy_id=person", "--epsilon=1", "--delta=1e-9", "--expected_rows=2000", "--output=/data/out", "--quiet")
	must.Hold(t, strings.Contains(said, "wrote "), "%v", said)
	in("verify", "/data/out")
	must.Hold(t, strings.Contains(in("--licenses"), own), "the licences are not printed")
	b, err := os.ReadFile(filepath.Join(files, "etc/ssl/certs/ca-certificates.crt"))
	pool := x509.NewCertPool()
	must.Hold(t, err == nil && pool.AppendCertsFromPEM(b) && bytes.Count(b, []byte("BEGIN")) >= 80, "%v: %d certificates", err, bytes.Count(b, []byte("BEGIN")))
	must.Hold(t, config.Config.User == "65532:65532" && config.Architecture == runtime.GOARCH, "%+v", config)
}

// TestImageOnAnother: the image of a template begins with layers and command of another image; the same inputs make the
// same bytes, and an image for another machine is refused.
func TestImageOnAnother(t *testing.T) {
	file := func(text string) string {
		at := filepath.Join(t.TempDir(), "program")
		must.Do(t, os.WriteFile(at, []byte(text), 0o755))
		return at
	}
	launcher := file("launcher")
	base, _, _ := made(t, "-program="+launcher, "-at=opt/launcher", "-arch=amd64")
	again, _, _ := made(t, "-program="+launcher, "-at=opt/launcher", "-arch=amd64")
	a, err := os.ReadFile(filepath.Join(base, "image.tar"))
	b, err2 := os.ReadFile(filepath.Join(again, "image.tar"))
	must.Hold(t, err == nil && err2 == nil && bytes.Equal(a, b), "two images of one program differ: %v %v", err, err2)
	_, config, files := made(t, "-program="+file("dapple"), "-base="+base, "-at=template/dapple", "-env=FLEX_TEMPLATE_GO_BINARY=/template/dapple", "-arch=amd64")
	must.Hold(t, config.Config.Entrypoint[0] == "/opt/launcher" && config.Config.Env[0] == "FLEX_TEMPLATE_GO_BINARY=/template/dapple", "%+v", config.Config)
	for name, want := range map[string]string{"opt/launcher": "launcher", "template/dapple": "dapple"} {
		must.Equal(t, string(must.Value(os.ReadFile(filepath.Join(files, name)))(t)), want, "%s", name)
	}
	err = image([]string{"-root=" + root, "-program=" + launcher, "-base=" + base, "-arch=arm64", filepath.Join(t.TempDir(), "x")})
	must.Fail(t, err, "linux/amd64; want linux/arm64", "a base for another machine")
}
