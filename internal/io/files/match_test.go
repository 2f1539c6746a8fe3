package files

import "testing"

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"gs://b/p-*.parquet", "gs://b/p-1.parquet", true},
		{"gs://b/p-*.parquet", "gs://b/p-/1.parquet", false},
		{"gs://b/p-*.parquet", "gs://b/p-1.parquet.tmp", false},
		{"gs://b/**.parquet", "gs://b/x/y/p.parquet", true},
		{"gs://b/**/p.parquet", "gs://b/x/y/p.parquet", true},
		{"gs://b/*/p.parquet", "gs://b/x/y/p.parquet", false},
		{"gs://b/*/*/p*", "gs://b/x/y/p", true},
		{"gs://b/x", "gs://b/x", true},
		{"gs://b/x", "gs://b/xy", false},
		{"gs://b/*a*a*a*a", "gs://b/aaaaaaaaaaaaaaaaaaaab", false},
		{"gs://b/**", "gs://b/", true},
	} {
		if got := Match(tt.pattern, tt.name); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}
