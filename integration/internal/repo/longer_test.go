package repo

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestLonger(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a_test.go": "package a\nimport \"testing\"\nfunc TestOne(t *testing.T) { if testing.Short() { t.Skip() } }\nfunc TestTwo(t *testing.T) { runs() }\nfunc TestThree(t *testing.T) {}\n",
		"b_test.go": "package a_test\nimport \"testing\"\nfunc runs() int { return deep{}.at() }\ntype deep struct{}\nfunc (deep) at() int { if testing.Short() { return 1 }; return 2 }\nfunc TestMain(m *testing.M) { runs() }\n",
		"c.go":      "package a\nfunc Four() {}\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	got, err := Longer(dir)
	want := []string{"TestOne", "TestTwo"}
	must.Hold(t, err == nil && slices.Equal(got, want), "got %v, %v, want %v", got, err, want)
	got, err = Longer(filepath.Join(dir, "none"))
	must.Hold(t, got == nil && err == nil, "a directory that is not there: %v, %v", got, err)
}
