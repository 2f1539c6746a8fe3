package packed_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/dapple-dp/dapple/internal/io/packed"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestOpen(t *testing.T) {
	const text = "some text\n"
	var zipped, standard bytes.Buffer
	z := gzip.NewWriter(&zipped)
	s := must.Value(zstd.NewWriter(&standard))(t)
	for _, w := range []io.WriteCloser{z, s} {
		must.Value(io.WriteString(w, text))(t)
		must.Do(t, w.Close())
	}
	for _, c := range []struct{ name, content, fault string }{
		{"a.txt", text, ""},
		{"a.txt.gz", zipped.String(), ""},
		{"A.ZST", standard.String(), ""},
		{"b.gz", text, "x: b.gz: the name says gzip"},
		{"b.zst", text, "x: b.zst: the name says Zstandard"},
		{"c.gz", zipped.String()[:zipped.Len()-9], "cannot be unpacked to its end"},
	} {
		r, err := packed.Open("x", strings.NewReader(c.content), c.name)
		var got []byte
		if err == nil {
			got, err = io.ReadAll(r)
		}
		must.Hold(t, (c.fault != "" || err == nil && string(got) == text) && (c.fault == "" || err != nil && strings.Contains(err.Error(), c.fault)),
			"%s: %q, %v", c.name, got, err)
		must.Hold(t, packed.Is(c.name) == (c.name != "a.txt"), "%s: compressed?", c.name)
	}
}
