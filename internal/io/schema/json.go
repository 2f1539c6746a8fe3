package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// JSON returns the text of a domain file as JSON, which is a domain file too: keys stay in order, comments go.
// The error is a Faults, as of Parse.
func JSON(name string, data []byte) ([]byte, error) {
	if _, err := Parse(name, data); err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := writeJSON(&b, doc.Content[0]); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return b.Bytes(), nil
}

// writeJSON writes a node that Parse admits: it has no aliases.
func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	open, end := byte('['), byte(']')
	switch n.Kind {
	case yaml.ScalarNode:
		return writeScalar(b, n)
	case yaml.MappingNode:
		open, end = '{', '}'
	}
	b.WriteByte(open)
	for i, child := range n.Content {
		key := n.Kind == yaml.MappingNode && i%2 == 0
		switch {
		case i > 0 && (n.Kind == yaml.SequenceNode || key):
			b.WriteByte(',')
		case i > 0:
			b.WriteByte(':')
		}
		if !key {
			if err := writeJSON(b, child); err != nil {
				return err
			}
		} else if err := writeText(b, child.Value); err != nil {
			return err
		}
	}
	return b.WriteByte(end)
}

// writeScalar keeps numbers, truths and null as they are written, and makes everything else a text.
func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!int", "!!float", "!!bool":
		if json.Valid([]byte(n.Value)) {
			_, err := b.WriteString(n.Value)
			return err
		}
	case "!!null":
		_, err := b.WriteString("null")
		return err
	}
	return writeText(b, n.Value)
}

func writeText(b *bytes.Buffer, s string) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line's end
	return nil
}
