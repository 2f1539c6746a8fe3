package layout

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// manifestFormat is the version of _manifest.json.
const manifestFormat = 3

// Manifest is _manifest.json: what a finished output holds.
type Manifest struct {
	Format    int             `json:"format"`
	Version   string          `json:"version"` // of dapple, which wrote it
	RunID     string          `json:"run_id"`
	Directory string          `json:"directory,omitempty"` // of the parts, seen from the manifest's; empty: its name without ".release"
	Note      string          `json:"note,omitempty"`      // what else is to be said of the rows
	Rows      int64           `json:"rows"`                // of all parts together, but for the table of people
	People    int64           `json:"people,omitempty"`    // rows of that table
	Parts     []File          `json:"parts"`               // in order of their shards
	Released  []File          `json:"released"`
	Schema    json.RawMessage `json:"schema,omitempty"` // of the parts, in the words of their writer
	SHA256    string          `json:"sha256,omitempty"` // of the manifest without this line, in hexadecimal digits
}

// Encode sets the hash of a manifest, and returns its text.
func (m *Manifest) Encode() []byte { return wire.Sealed(m, &m.SHA256) }

// FileSHA256 returns the hash of the manifest's file, which stands for all that the manifest names.
func (m *Manifest) FileSHA256() string { return wire.Hash(m.Encode()) }

// Decode reads the text of a manifest, which is exactly as it was written or refused: a key that is unknown, absent,
// there twice or spelled otherwise is a change.
func Decode(b []byte) (*Manifest, error) {
	var head struct {
		Format  int    `json:"format"`
		Version string `json:"version"`
	}
	if json.Unmarshal(b, &head) != nil {
		return nil, errors.New("is not JSON of the expected form")
	}
	if head.Format != manifestFormat {
		return nil, &buildinfo.OtherFormat{Format: strconv.Itoa(head.Format), Reads: strconv.Itoa(manifestFormat), Version: head.Version}
	}
	var m Manifest
	if json.Unmarshal(b, &m) != nil {
		return nil, errors.New("is not JSON of the expected form")
	}
	if m.Version == "" || m.RunID == "" || m.Parts == nil || m.Released == nil {
		return nil, errors.New("names no version, run, parts or released files")
	}
	if plain := m; !bytes.Equal(plain.Encode(), b) {
		return nil, errors.New("has changed since it was written: its hash is not its own")
	}
	return &m, m.validate()
}

// File is one file of a finished output.
type File struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows,omitempty"`
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c"` // eight hexadecimal digits
	SHA256 string `json:"sha256"` // 64 hexadecimal digits
}

// Digest returns one SHA-256 of several files: the hash of the lines that sha256sum prints for them.
func Digest(list []File) string {
	h := sha256.New()
	for _, f := range list {
		fmt.Fprintf(h, "%s  %s\n", f.SHA256, f.Name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Manifest reads the manifest of this Dir. The error wraps fs.ErrNotExist if the file is absent.
func (d Dir) Manifest() (*Manifest, error) {
	m, _, err := d.ReadManifest()
	return m, err
}

// ReadManifest returns the manifest, and the SHA-256 of its file.
func (d Dir) ReadManifest() (*Manifest, string, error) {
	b, err := d.ReadFile(d.InRelease(ManifestName))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, "", NotFinished(Show(d.ReleaseDir()) + " has no manifest")
	}
	if err != nil {
		return nil, "", fmt.Errorf("sink: %s: the manifest cannot be read: %w", Show(d.ReleaseDir()), err)
	}
	m, err := Decode(b)
	if err != nil {
		return nil, "", fmt.Errorf("sink: %s: the manifest %w", Show(d.ReleaseDir()), err)
	}
	return m, wire.Hash(b), nil
}

// validate makes sure that nothing outside the directories is named, and that the sums are right.
func (m *Manifest) validate() error {
	rows, people := int64(0), int64(0)
	for _, f := range m.Parts {
		if !IsPart(f.Name) || strings.Trim(path.Base(f.Name), letters+"-.") != "" || !f.plausible() || f.Rows > math.MaxInt64-rows-people {
			return errors.New("names a part that no run can have written")
		}
		if ofPeople(f.Name) {
			people += f.Rows
		} else {
			rows += f.Rows
		}
	}
	for _, f := range m.Released {
		if !isReleased(f.Name) || !f.plausible() {
			return errors.New("names a released file that no run can have written")
		}
	}
	if rows != m.Rows || people != m.People {
		return errors.New("has another number of rows than its parts")
	}
	return nil
}

func (f *File) plausible() bool {
	return f.Rows >= 0 && f.Bytes >= 0 && len(f.CRC32C) == 8 && len(f.SHA256) == 2*sha256.Size
}

// Recorded returns the directory of the parts as the manifest names it: both directories can be moved
// together.
func (d Dir) Recorded() string {
	if usual, err := Beside(d.Path); d.Path == "" || err == nil && usual == d.ReleaseDir() {
		return ""
	}
	if files.Remote(d.Path) {
		return files.Clean(d.Path)
	}
	from, fromErr := filepath.Abs(d.ReleaseDir())
	to, toErr := filepath.Abs(d.Path)
	if rel, err := filepath.Rel(from, to); errors.Join(fromErr, toErr, err) == nil {
		return filepath.ToSlash(rel)
	}
	return d.Path
}

// ReadFile reads a whole file.
func (d Dir) ReadFile(path string) (b []byte, err error) {
	f, err := d.Disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	return io.ReadAll(f)
}

// HexCRC writes a checksum as manifests have it.
func HexCRC(c uint32) string { return fmt.Sprintf("%08x", c) }

// NotFinished is the error of a directory without a manifest, which is an fs.ErrNotExist.
type NotFinished string

func (n NotFinished) Error() string {
	return "sink: " + string(n) + ": this is not the output of a finished run"
}

// Is makes it an fs.ErrNotExist.
func (NotFinished) Is(err error) bool { return err == fs.ErrNotExist }

// PartsDirectory returns where the parts are, for a manifest in the directory release; empty: unknown.
func (m *Manifest) PartsDirectory(release string) string {
	switch {
	case m.Directory == "":
		rows, ok := strings.CutSuffix(release, BesideEnd)
		if !ok {
			return ""
		}
		return rows
	case files.Remote(m.Directory) || filepath.IsAbs(m.Directory) || files.Remote(release):
		return m.Directory
	}
	return files.Join(release, filepath.FromSlash(m.Directory))
}
