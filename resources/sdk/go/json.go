package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strconv"
)

// Field is a named value.
type Field struct {
	Name  string
	Value any
}

// Fields is an object whose fields keep their order. F makes one.
type Fields []Field

// F makes an object of names and values in turn: F("symbol", "SPY", "value", 210.5). It panics when a name is no text, or a
// value is missing.
func F(pairs ...any) Fields {
	if len(pairs)%2 != 0 {
		panic("platform.F needs a value for each name")
	}
	fields := make(Fields, 0, len(pairs)/2)
	for at := 0; at < len(pairs); at += 2 {
		name, isText := pairs[at].(string)
		if !isText {
			panic(fmt.Sprintf("platform.F needs a text as name, not %v", pairs[at]))
		}
		fields = append(fields, Field{name, pairs[at+1]})
	}
	return fields
}

// MarshalJSON writes the fields in their order.
func (fields Fields) MarshalJSON() ([]byte, error) {
	return encode(fields)
}

// Get returns the value of a field, and whether there is one.
func (fields Fields) Get(name string) (any, bool) {
	for _, field := range fields {
		if field.Name == name {
			return field.Value, true
		}
	}
	return nil, false
}

func (fields Fields) without(names ...string) Fields {
	kept := make(Fields, 0, len(fields))
	for _, field := range fields {
		drop := false
		for _, name := range names {
			drop = drop || field.Name == name
		}
		if !drop {
			kept = append(kept, field)
		}
	}
	return kept
}

// encode writes compact JSON as the SDKs of all languages do: numbers as JavaScript writes them, text as it is.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	if err := write(&out, value); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func write(out *bytes.Buffer, value any) error {
	switch given := value.(type) {
	case nil:
		out.WriteString("null")
		return nil
	case Fields:
		return writeFields(out, given)
	case json.RawMessage, json.Number, json.Marshaler, *big.Int:
		return writeMarshalled(out, given)
	}
	of := reflect.ValueOf(value)
	switch of.Kind() {
	case reflect.String:
		writeText(out, of.String())
	case reflect.Float32, reflect.Float64:
		writeFloat(out, of)
	case reflect.Map:
		return writeMap(out, of)
	case reflect.Slice, reflect.Array:
		if of.Kind() == reflect.Slice && (of.IsNil() || of.Type().Elem().Kind() == reflect.Uint8) {
			return writeMarshalled(out, value)
		}
		out.WriteByte('[')
		for at := 0; at < of.Len(); at++ {
			if at > 0 {
				out.WriteByte(',')
			}
			if err := write(out, of.Index(at).Interface()); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	default:
		return writeMarshalled(out, value)
	}
	return nil
}

func writeFields(out *bytes.Buffer, fields Fields) error {
	out.WriteByte('{')
	for at, field := range fields {
		if at > 0 {
			out.WriteByte(',')
		}
		writeText(out, field.Name)
		out.WriteByte(':')
		if err := write(out, field.Value); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

// writeMap writes the keys of a map in the order of their bytes: a map of Go has none of its own.
func writeMap(out *bytes.Buffer, of reflect.Value) error {
	if of.Type().Key().Kind() != reflect.String || of.IsNil() {
		return writeMarshalled(out, of.Interface())
	}
	names := of.MapKeys()
	sort.Slice(names, func(a, b int) bool { return names[a].String() < names[b].String() })
	fields := make(Fields, 0, len(names))
	for _, name := range names {
		fields = append(fields, Field{name.String(), of.MapIndex(name).Interface()})
	}
	return writeFields(out, fields)
}

func writeFloat(out *bytes.Buffer, of reflect.Value) {
	number := of.Float()
	if math.IsNaN(number) || math.IsInf(number, 0) {
		out.WriteString("null")
		return
	}
	if number == 0 {
		// Not -0, which JavaScript writes as 0.
		out.WriteByte('0')
		return
	}
	size := 64
	if of.Kind() == reflect.Float32 {
		size = 32
	}
	format := byte('f')
	if abs := math.Abs(number); abs < 1e-6 || abs >= 1e21 {
		format = 'e'
	}
	text := strconv.AppendFloat(nil, number, format, -1, size)
	// e-09 becomes e-9.
	if end := len(text); format == 'e' && end >= 4 && text[end-4] == 'e' && text[end-2] == '0' {
		text[end-2] = text[end-1]
		text = text[:end-1]
	}
	out.Write(text)
}

const hexDigits = "0123456789abcdef"

func writeText(out *bytes.Buffer, text string) {
	out.WriteByte('"')
	for _, letter := range text {
		switch {
		case letter == '"' || letter == '\\':
			out.WriteByte('\\')
			out.WriteRune(letter)
		case letter == '\n':
			out.WriteString(`\n`)
		case letter == '\r':
			out.WriteString(`\r`)
		case letter == '\t':
			out.WriteString(`\t`)
		case letter == '\b':
			out.WriteString(`\b`)
		case letter == '\f':
			out.WriteString(`\f`)
		case letter < 0x20:
			out.WriteString(`\u00`)
			out.WriteByte(hexDigits[letter>>4])
			out.WriteByte(hexDigits[letter&15])
		default:
			// Bytes that are no UTF-8 come as U+FFFD.
			out.WriteRune(letter)
		}
	}
	out.WriteByte('"')
}

// writeMarshalled writes structs, and what knows its own JSON, with encoding/json, and then as all other values.
func writeMarshalled(out *bytes.Buffer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	ordered, err := decode(text)
	if err != nil {
		return err
	}
	if number, isNumber := ordered.(json.Number); isNumber {
		out.WriteString(number.String())
		return nil
	}
	if _, isPlain := ordered.(bool); isPlain || ordered == nil {
		out.Write(text)
		return nil
	}
	return write(out, ordered)
}

// decode reads JSON with objects as Fields and numbers as json.Number.
func decode(text []byte) (any, error) {
	from := json.NewDecoder(bytes.NewReader(text))
	from.UseNumber()
	value, err := decodeNext(from)
	if err != nil {
		return nil, err
	}
	if from.More() {
		return nil, fmt.Errorf("there is more behind the value")
	}
	return value, nil
}

func decodeNext(from *json.Decoder) (any, error) {
	token, err := from.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		fields := Fields{}
		for from.More() {
			name, err := from.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeNext(from)
			if err != nil {
				return nil, err
			}
			fields = append(fields, Field{name.(string), value})
		}
		_, err = from.Token()
		return fields, err
	case json.Delim('['):
		items := []any{}
		for from.More() {
			value, err := decodeNext(from)
			if err != nil {
				return nil, err
			}
			items = append(items, value)
		}
		_, err = from.Token()
		return items, err
	}
	return token, nil
}

// Ordered reads JSON with its objects as Fields, in their order, and its numbers digit by digit as json.Number.
func Ordered(text []byte) (any, error) {
	return decode(text)
}
