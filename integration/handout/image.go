package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ociv1 "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// recipe says what an image holds.
type recipe struct {
	root, program string // of dapple, and the file to run
	arch, version string
	base          string   // an OCI layout that the image begins with; empty: nothing
	at            string   // where the program is in the image
	env           []string // more variables
}

// image writes an image of the program: an archive in OCI's form, which docker load takes too. It needs no daemon, no
// registry and no root, and the same inputs make the same bytes.
func image(args []string) (err error) {
	var r recipe
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.StringVar(&r.root, "root", "..", "the repository")
	flags.StringVar(&r.program, "program", "", "the static program for Linux")
	flags.StringVar(&r.arch, "arch", runtime.GOARCH, "its machine")
	flags.StringVar(&r.version, "version", "latest", "the tag of the image")
	flags.StringVar(&r.base, "base", "", "an OCI layout to begin with; default: nothing")
	flags.StringVar(&r.at, "at", "usr/local/bin/dapple", "where the program is put")
	flags.Func("env", "a variable NAME=VALUE; may stand more than once", func(v string) error { r.env = append(r.env, v); return nil })
	if err := flags.Parse(args); err != nil {
		return err
	}
	if r.program == "" || flags.NArg() != 1 {
		return errors.New("image: want --program=FILE and the archive to write")
	}
	out, err := os.Create(flags.Arg(0))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return r.write(out)
}

func (r recipe) write(w io.Writer) error {
	a := archive{out: tar.NewWriter(w), has: map[digest.Digest]bool{}}
	config, manifest, err := a.begin(r.base, r.arch)
	if err != nil {
		return err
	}
	layer, diff, err := r.layer()
	if err != nil {
		return err
	}
	manifest.Layers = append(manifest.Layers, a.blob(ociv1.MediaTypeImageLayerGzip, layer))
	config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, diff)
	config.Config.Env = append(config.Config.Env, r.env...)
	if r.base == "" {
		config.Config.Entrypoint, config.Config.User = []string{"/" + r.at}, "65532:65532"
	}
	config.Config.Labels = map[string]string{
		ociv1.AnnotationTitle: "dapple", ociv1.AnnotationLicenses: "Apache-2.0", ociv1.AnnotationVersion: r.version, ociv1.AnnotationSource: "https://" + own,
	}
	manifest.Config = a.object(ociv1.MediaTypeImageConfig, config)
	m := a.object(ociv1.MediaTypeImageManifest, manifest)
	m.Platform = &ociv1.Platform{OS: "linux", Architecture: r.arch}
	tag := "dapple:" + r.version
	m.Annotations = map[string]string{ociv1.AnnotationRefName: r.version, "io.containerd.image.name": tag}
	a.json(ociv1.ImageIndexFile, ociv1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ociv1.MediaTypeImageIndex, Manifests: []ociv1.Descriptor{m}})
	a.json(ociv1.ImageLayoutFile, ociv1.ImageLayout{Version: ociv1.ImageLayoutVersion})
	var layers []string
	for _, l := range manifest.Layers {
		layers = append(layers, blobName(l.Digest))
	}
	a.json("manifest.json", []map[string]any{{"Config": blobName(manifest.Config.Digest), "RepoTags": []string{tag}, "Layers": layers}}) // for docker load
	return errors.Join(a.err, a.out.Close())
}

// layer returns the files of dapple, and the digest of their archive before compression.
func (r recipe) layer() (packed []byte, diff digest.Digest, err error) {
	var b bytes.Buffer
	z, sum := gzip.NewWriter(&b), sha256.New()
	t := tar.NewWriter(io.MultiWriter(z, sum))
	add := func(name string, mode int64, body []byte) {
		h := &tar.Header{Name: name, Mode: mode, Size: int64(len(body)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if strings.HasSuffix(name, "/") {
			h.Typeflag = tar.TypeDir
		}
		err = errors.Join(err, t.WriteHeader(h))
		_, e := t.Write(body)
		err = errors.Join(err, e)
	}
	var certificates bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // a file cannot say it
			err = errors.Join(err, pem.Encode(&certificates, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	add("tmp/", 0o1777, nil)
	add("etc/hosts", 0o644, []byte("127.0.0.1 localhost\n::1 localhost\n")) // which most container programs replace
	add("etc/ssl/certs/ca-certificates.crt", 0o644, certificates.Bytes())
	for _, file := range []string{"LICENSE", noticesFile} {
		body, e := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(file)))
		err = errors.Join(err, e)
		add("licenses/"+path.Base(file), 0o644, body)
	}
	program, e := os.ReadFile(r.program)
	err = errors.Join(err, e)
	add(r.at, 0o755, program)
	err = errors.Join(err, t.Close(), z.Close())
	return b.Bytes(), digest.NewDigest(digest.SHA256, sum), err
}

// archive is an OCI layout in a tar file. Its first error stays.
type archive struct {
	out *tar.Writer
	has map[digest.Digest]bool
	err error
}

func (a *archive) file(name string, body []byte) {
	if a.err == nil {
		a.err = a.out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(body)), Format: tar.FormatPAX})
	}
	if a.err == nil {
		_, a.err = a.out.Write(body)
	}
}

func (a *archive) json(name string, v any) {
	b, err := json.Marshal(v)
	a.err = errors.Join(a.err, err)
	a.file(name, b)
}

func blobName(d digest.Digest) string {
	return path.Join(ociv1.ImageBlobsDir, d.Algorithm().String(), d.Encoded())
}

func (a *archive) blob(kind string, body []byte) ociv1.Descriptor {
	d := digest.FromBytes(body)
	if !a.has[d] {
		a.has[d] = true
		a.file(blobName(d), body)
	}
	return ociv1.Descriptor{MediaType: kind, Digest: d, Size: int64(len(body))}
}

func (a *archive) object(kind string, v any) ociv1.Descriptor {
	b, err := json.Marshal(v)
	a.err = errors.Join(a.err, err)
	return a.blob(kind, b)
}

// begin returns configuration and manifest of the image to begin with, whose layers it copies.
func (a *archive) begin(base, arch string) (config ociv1.Image, manifest ociv1.Manifest, err error) {
	manifest.SchemaVersion, manifest.MediaType = 2, ociv1.MediaTypeImageManifest
	config.OS, config.Architecture, config.RootFS.Type = "linux", arch, "layers"
	if base == "" {
		return config, manifest, nil
	}
	read := func(name string, v any) {
		if err == nil {
			var b []byte
			if b, err = os.ReadFile(filepath.Join(base, filepath.FromSlash(name))); err == nil {
				err = json.Unmarshal(b, v)
			}
		}
	}
	var index ociv1.Index
	read(ociv1.ImageIndexFile, &index)
	for err == nil && len(index.Manifests) > 0 {
		m := index.Manifests[0]
		for _, other := range index.Manifests {
			if other.Platform != nil && other.Platform.OS == "linux" && other.Platform.Architecture == arch {
				m = other
			}
		}
		index = ociv1.Index{}
		if strings.Contains(m.MediaType, "index") || strings.Contains(m.MediaType, "manifest.list") {
			read(blobName(m.Digest), &index)
		} else {
			manifest = ociv1.Manifest{}
			read(blobName(m.Digest), &manifest)
		}
	}
	read(blobName(manifest.Config.Digest), &config)
	if err == nil && (config.OS != "linux" || config.Architecture != arch) {
		err = fmt.Errorf("%s: is an image for %s/%s; want linux/%s", base, config.OS, config.Architecture, arch)
	}
	for _, l := range manifest.Layers {
		b, e := os.ReadFile(filepath.Join(base, filepath.FromSlash(blobName(l.Digest))))
		if err = errors.Join(err, e); err == nil && digest.FromBytes(b) != l.Digest {
			err = fmt.Errorf("%s: layer %s is damaged", base, l.Digest)
		}
		a.blob(l.MediaType, b)
	}
	return config, manifest, err
}
