package relation

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Token is a word, a text in quotes, or a sign; the last one of a text is an empty sign.
type Token struct {
	Text   string
	At     int // byte from which it is written
	Quoted bool
	Sign   bool
}

// Is reports whether the token is a key word, in any case, or a sign.
func (t Token) Is(word string) bool { return !t.Quoted && strings.EqualFold(t.Text, word) }

// Tokens cuts a text as ParseCondition does, with other signs, the longer ones first.
func Tokens(text string, signs ...string) ([]Token, error) {
	l := lexer{text: text}
	err := l.split(signs...)
	return l.tokens, err
}

// lexer holds the tokens of a text that a parser has not taken yet: of an expression of derive, or of a condition.
type lexer struct {
	text   string
	tokens []Token
	depth  int
}

const (
	blanks   = " \t\r\n"
	quotes   = "'\"`"
	maxDepth = 100 // of parentheses, signs and NOT
)

// split cuts the text into tokens, the last being the end. Words end at blanks, quotes and the bytes of signs;
// the longer ones come first.
func (l *lexer) split(signs ...string) error {
	ends := blanks + quotes + strings.Join(signs, "")
	for i := 0; i < len(l.text); {
		t := Token{At: i}
		var end int
		switch c := l.text[i]; {
		case strings.IndexByte(blanks, c) >= 0:
			i++
			continue
		case strings.IndexByte(quotes, c) >= 0:
			if t.Text, end = unquote(l.text, i); end < 0 {
				return l.fault(i, "the quote is not closed")
			}
			t.Quoted = true
		default:
			if t.Text = signAt(l.text[i:], signs); t.Text != "" {
				t.Sign = true
			} else if n := strings.IndexAny(l.text[i:], ends); n == 0 {
				return l.fault(i, "got %q; want a column, or one of %s", l.text[i:i+1], strings.Join(signs, " "))
			} else if n > 0 {
				t.Text = l.text[i : i+n]
			} else {
				t.Text = l.text[i:]
			}
			end = i + len(t.Text)
		}
		l.tokens, i = append(l.tokens, t), end
	}
	l.tokens = append(l.tokens, Token{At: len(l.text), Sign: true})
	return nil
}

func signAt(text string, signs []string) string {
	for _, s := range signs {
		if strings.HasPrefix(text, s) {
			return s
		}
	}
	return ""
}

// unquote reads a text in quotes, which are doubled inside, and returns where it ends, or −1.
func unquote(text string, from int) (string, int) {
	var b strings.Builder
	for i := from + 1; i < len(text); i++ {
		if text[i] == text[from] {
			if i++; i == len(text) || text[i] != text[from] {
				return b.String(), i
			}
		}
		b.WriteByte(text[i])
	}
	return "", -1
}

// take takes the next token if it is the given word.
func (l *lexer) take(word string) bool {
	if !l.tokens[0].Is(word) {
		return false
	}
	l.tokens = l.tokens[1:]
	return true
}

// next returns the next token as it is written.
func (l *lexer) next() string {
	if t := l.tokens[0]; t.Text != "" || t.Quoted {
		return fmt.Sprintf("%.60q", t.Text)
	}
	return "the end"
}

// deeper goes one level deeper; call the function that it returns on the way back.
func (l *lexer) deeper() (back func(), err error) {
	if l.depth++; l.depth > maxDepth {
		err = l.fault(l.tokens[0].At, "more than %d levels of parentheses, signs and NOT", maxDepth)
	}
	return func() { l.depth-- }, err
}

func (l *lexer) fault(at int, format string, args ...any) error {
	return fmt.Errorf("character %d: %s", utf8.RuneCountInString(l.text[:min(at, len(l.text))])+1, fmt.Sprintf(format, args...))
}
