package gcs

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// Prefix begins the names of objects.
const Prefix = "gs://"

// Is reports whether a name has the form of an object's.
func Is(name string) bool { return strings.HasPrefix(name, Prefix) }

// CheckName returns an error that says what is wrong with the name of an object, a directory or, with
// "*", a pattern, and what to do; nil if nothing is.
func CheckName(name string) error {
	bucket, object := split(name)
	switch {
	case !Is(name):
		return fmt.Errorf("%q: want %sbucket/path", name, Prefix)
	case len(bucket) < 3 || strings.Trim(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
		return fmt.Errorf("%s: %q is no bucket; want %sbucket/path, the bucket in lower case", name, bucket, Prefix)
	case strings.ContainsAny(object, "?#%[]"):
		return fmt.Errorf("%s: the characters ? # %% [ ] are not allowed in names of objects; rename it, or name a directory or a pattern with * around it", name)
	case !utf8.ValidString(object) || strings.ContainsFunc(object, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%q: the name holds characters that cannot be printed; rename it", name)
	case len(object) > maxName:
		return fmt.Errorf("a name of more than %d bytes; shorten it", maxName)
	}
	for word := range strings.SplitSeq(strings.TrimSuffix(object, "/"), "/") {
		if object != "" && (word == "" || word == "." || word == "..") {
			return fmt.Errorf("%s: a part of the path is empty, . or ..; write it without", name)
		}
	}
	return nil
}

// maxName is the longest name of an object that Cloud Storage takes, in bytes of UTF-8.
const maxName = 1024

// split returns the bucket and the path in it.
func split(name string) (bucket, object string) {
	bucket, object, _ = strings.Cut(strings.TrimPrefix(name, Prefix), "/")
	return bucket, object
}

// Join puts path elements behind a name.
func Join(name string, elements ...string) string {
	return strings.TrimSuffix(name, "/") + "/" + path.Join(elements...)
}

// Match reports whether the name of an object matches a pattern: "*" stands for any characters but
// "/", "**" for any characters.
func Match(pattern, name string) bool {
	for pattern != "" {
		if pattern[0] != '*' {
			if name == "" || name[0] != pattern[0] {
				return false
			}
			pattern, name = pattern[1:], name[1:]
			continue
		}
		rest := strings.TrimLeft(pattern, "*")
		crosses := len(pattern)-len(rest) > 1
		for i := 0; ; i++ {
			if Match(rest, name[i:]) {
				return true
			}
			if i == len(name) || name[i] == '/' && !crosses {
				return false
			}
		}
	}
	return name == ""
}
