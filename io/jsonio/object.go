package jsonio

import (
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// eachField passes the outermost fields of a JSON object to yield: the name without quotes and escapes, and the value as
// it is written. It returns false, and passes nothing, if a valid JSON text is no object.
func eachField(valid []byte, yield func(name, value []byte)) bool {
	i := skipBlanks(valid, 0)
	if valid[i] != '{' {
		return false
	}
	for i = skipBlanks(valid, i+1); valid[i] != '}'; {
		end := endOfText(valid, i)
		name := valid[i+1 : end-1]
		if slices.Contains(name, '\\') {
			name = unescape(nil, name)
		}
		i = skipBlanks(valid, skipBlanks(valid, end)+1) // a colon is between
		end = endOfValue(valid, i)
		yield(name, valid[i:end])
		if i = skipBlanks(valid, end); valid[i] == ',' {
			i = skipBlanks(valid, i+1)
		}
	}
	return true
}

func skipBlanks(valid []byte, i int) int {
	for valid[i] == ' ' || valid[i] == '\t' || valid[i] == '\r' || valid[i] == '\n' {
		i++
	}
	return i
}

// endOfText returns where the text that begins at i ends, behind its quote.
func endOfText(valid []byte, i int) int {
	for i++; valid[i] != '"'; i++ {
		if valid[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// endOfValue returns where the value that begins at i ends.
func endOfValue(valid []byte, i int) int {
	switch valid[i] {
	case '"':
		return endOfText(valid, i)
	case '{', '[':
		for depth := 0; ; {
			switch valid[i] {
			case '"':
				i = endOfText(valid, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			if i++; depth == 0 {
				return i
			}
		}
	}
	for valid[i] != ',' && valid[i] != '}' && valid[i] > ' ' {
		i++
	}
	return i
}

// escapes are what stands behind a backslash, but for \u.
var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape appends a JSON text without its escapes. Half of a pair of surrogates becomes the three bytes that UTF-8 would
// have for it: two texts never become one.
func unescape(dst, valid []byte) []byte {
	for i := 0; i < len(valid); i++ {
		if valid[i] != '\\' {
			dst = append(dst, valid[i])
			continue
		}
		i++
		if valid[i] != 'u' {
			dst = append(dst, escapes[valid[i]])
			continue
		}
		r := unit(valid[i+1:])
		i += 4
		if utf16.IsSurrogate(r) && len(valid) > i+6 && valid[i+1] == '\\' && valid[i+2] == 'u' {
			if whole := utf16.DecodeRune(r, unit(valid[i+3:])); whole != utf8.RuneError {
				dst = utf8.AppendRune(dst, whole)
				i += 6
				continue
			}
		}
		if utf16.IsSurrogate(r) {
			dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// unit returns the number that four hexadecimal digits write.
func unit(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // a valid JSON text has four
	return rune(n)
}
