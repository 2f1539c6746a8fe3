package remote

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxName is the longest name of an object that the known services take, in bytes of UTF-8.
const maxName = 1024

// CheckName returns an error that says what is wrong with the name of an object, a directory or, with "*", a pattern of
// a scheme, and what to do; nil if nothing is. Names with "?", "#", "%", "[" or "]" are refused, because other tools
// that read the output take them for something else.
func CheckName(scheme, name string) error {
	bucket, object := Split(scheme, name)
	switch {
	case !strings.HasPrefix(name, scheme):
		return fmt.Errorf("%q: want %sbucket/path", name, scheme)
	case len(bucket) < 3 || strings.Trim(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
		return fmt.Errorf("%s: %q is no bucket; want %sbucket/path, the bucket in lower case", name, bucket, scheme)
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

// Split returns the bucket and the path in it.
func Split(scheme, name string) (bucket, object string) {
	bucket, object, _ = strings.Cut(strings.TrimPrefix(name, scheme), "/")
	return bucket, object
}

// ErrNoBucket is the error of a bucket that does not exist. It is not fs.ErrNotExist: an absent output directory is no
// fault, a misspelt bucket is.
func ErrNoBucket(bucket string) error {
	return fmt.Errorf("bucket %q does not exist; create it, or check the name", bucket)
}
