package platform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"sync/atomic"
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
	fields := make(Fields, 0, len(pairs)/2)
	for at := 0; at < len(pairs); at += 2 {
		name, isText := pairs[at].(string)
		if !isText || at+1 == len(pairs) {
			panic(fmt.Sprintf("platform.F needs texts as names, and a value for each, not %v", pairs[at]))
		}
		fields = append(fields, Field{name, pairs[at+1]})
	}
	return fields
}

// MarshalJSON writes the fields in their order.
func (fields Fields) MarshalJSON() (out []byte, err error) {
	defer catch(&err)
	// This begins a value anew for encoding/json, which would not notice that one above contains itself. To count takes time.
	open := atomic.AddInt32(&marshalling, 1)
	defer atomic.AddInt32(&marshalling, -1)
	endless(open%32 == 0 && runtime.Callers(mostFrames, make([]uintptr, 1)) > 0)
	all := make([][]byte, len(fields))
	for at, field := range fields {
		all[at] = append(append(need(encode(field.Name)), ':'), need(encode(field.Value))...)
	}
	return append(append([]byte{'{'}, bytes.Join(all, []byte{','})...), '}'), nil
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
		if !isOneOf(field.Name, names) {
			kept = append(kept, field)
		}
	}
	return kept
}

func isOneOf(value string, all []string) bool {
	for _, one := range all {
		if value == one {
			return true
		}
	}
	return false
}

const (
	deepest = 500
	// Calls on the stack: more than a value takes that is nested as deep as it may be, and far fewer than Go has room for.
	mostFrames = 8_000
)

// Calls of MarshalJSON that have not returned, of all goroutines.
var marshalling int32

var errEndless = fmt.Errorf("the value is nested deeper than %d, or contains itself", deepest)

func endless(is bool) {
	if is {
		panic(failed{errEndless})
	}
}

// What encoding/json escapes and JavaScript does not, or in a shorter way.
var (
	escapes = regexp.MustCompile(`\\(?:u[0-9a-f]{4}|.)`)
	shorter = map[string]string{`\u0008`: `\b`, `\u000c`: `\f`, `\u2028`: "\u2028", `\u2029`: "\u2029", `\ufffd`: "\ufffd"}
)

// encode writes compact JSON as the SDKs of all languages do: numbers as JavaScript writes them, text as it is.
func encode(value any) (text []byte, err error) {
	defer catch(&err)
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	if err := to.Encode(plain(value, 0)); err != nil {
		// Else each value around it would add its words.
		endless(errors.Is(err, errEndless))
		return nil, err
	}
	return escapes.ReplaceAllFunc(bytes.TrimSuffix(out.Bytes(), []byte("\n")), func(escape []byte) []byte {
		if short, isKnown := shorter[string(escape)]; isKnown {
			return []byte(short)
		}
		return escape
	}), nil
}

// plain gives values without numbers that JSON does not have (they become null) and without -0, also inside of lists and maps;
// and JSON as it is written here. A value that contains itself would have no end: Go ends a program whose stack is full.
func plain(value any, depth int) any {
	endless(depth > deepest)
	if fields, isObject := value.(Fields); isObject {
		all := make(Fields, len(fields))
		for at, field := range fields {
			all[at] = Field{field.Name, plain(field.Value, depth+1)}
		}
		return all
	}
	of := reflect.ValueOf(value)
	_, writesItself := value.(json.Marshaler)
	if raw, isRaw := value.(json.RawMessage); isRaw && raw != nil {
		return need(Ordered(raw))
	}
	switch kind := of.Kind(); {
	case writesItself:
	case kind == reflect.Float32 || kind == reflect.Float64:
		if number := of.Float(); math.IsNaN(number) || math.IsInf(number, 0) {
			return nil
		} else if number == 0 {
			return 0
		}
	case kind == reflect.Map && !of.IsNil() && of.Type().Key().Kind() == reflect.String:
		all := make(map[string]any, of.Len())
		for each := of.MapRange(); each.Next(); {
			all[each.Key().String()] = plain(each.Value().Interface(), depth+1)
		}
		return all
	case kind == reflect.Array || kind == reflect.Slice && !of.IsNil() && of.Type().Elem().Kind() != reflect.Uint8:
		all := make([]any, of.Len())
		for at := range all {
			all[at] = plain(of.Index(at).Interface(), depth+1)
		}
		return all
	}
	return value
}

// Ordered reads JSON with its objects as Fields, in their order, and its numbers digit by digit as json.Number.
func Ordered(text []byte) (value any, err error) {
	defer catch(&err)
	from := json.NewDecoder(bytes.NewReader(text))
	from.UseNumber()
	value = ordered(from, 0)
	_, end := from.Token()
	insist(end == io.EOF, "there is more behind the value")
	return value, nil
}

func ordered(from *json.Decoder, depth int) any {
	token := need(from.Token())
	isObject := token == json.Delim('{')
	if !isObject && token != json.Delim('[') {
		return token
	}
	insist(depth < deepest, "the JSON is nested deeper than %d", deepest)
	fields, items := Fields{}, []any{}
	for from.More() {
		var name any = ""
		if isObject {
			name = need(from.Token())
		}
		value := ordered(from, depth+1)
		fields, items = append(fields, Field{name.(string), value}), append(items, value)
	}
	need(from.Token())
	if isObject {
		return fields
	}
	return items
}
