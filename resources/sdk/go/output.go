// Package platform is the SDK for bots in Go on Bot Platform. It has no dependencies.
package platform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func writeLine(file *os.File, text []byte) {
	// One call for the whole line, which holds the file: lines of several goroutines do not mix. Nobody can be told where it fails.
	_, _ = file.Write(append(text, '\n'))
}

// Parse reads the bot's id and its configuration (the effective one, with defaults filled in): id, config, err :=
// platform.Parse[Config](). It fails without BOT_ID, and without a BOT_CONFIG that is a JSON object which fits the type: a bot
// never goes on without the settings of its owner.
func Parse[C any]() (id string, config C, err error) {
	defer catch(&err)
	for _, name := range []string{"BOT_ID", "BOT_CONFIG"} {
		insist(os.Getenv(name) != "", "%s is not set: start the bot with the platform, or with `platform dev`", name)
	}
	text := []byte(os.Getenv("BOT_CONFIG"))
	insist(json.Valid(text), "BOT_CONFIG is not JSON")
	insist(bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")), "BOT_CONFIG is no JSON object")
	wrong := json.Unmarshal(text, &config)
	insist(wrong == nil, "BOT_CONFIG does not fit %T: %w", config, wrong)
	return os.Getenv("BOT_ID"), config, nil
}

// fieldsOf gives the fields of an object: F(...), a struct, or a map with texts as keys.
func fieldsOf(data any) (Fields, bool) {
	if fields, isFields := data.(Fields); isFields {
		return fields, true
	}
	fields, isObject := need(Ordered(need(encode(data)))).(Fields)
	return fields, isObject
}

// Metric emits a metric: data, which is F(...), a struct, a map or nil, is shown and charted under its type. A `timestamp` in
// it (ms since 1970, or RFC 3339) is its time, else it is now. It fails for an empty type, and for data that is no object.
func Metric(kind string, data any) (err error) {
	defer catch(&err)
	insist(kind != "", "the type of a metric must be a text")
	fields, isObject := fieldsOf(data)
	insist(isObject || data == nil, "the data of a metric must be an object, not %T", data)
	time, _ := fields.Get("timestamp")
	if time == nil {
		time = CurrentTimestamp()
	}
	line := append(F("_metric", kind), fields.without("_metric", "timestamp")...)
	writeLine(os.Stdout, need(encode(append(line, Field{"timestamp", time}))))
	return nil
}

var levels = map[string]string{
	"debug": "debug", "info": "info", "warn": "warn", "warning": "warn",
	"error": "error", "critical": "error", "fatal": "error",
}

// Log writes a log line: Log(message), Log(message, "warn"), Log(message, data) or Log(message, data, "warn"). The level is
// debug, info, warn or error, in any case; any other is info. With data the line is a JSON object whose fields are shown.
func Log(message string, more ...any) {
	level, data := "info", any(nil)
	if last := len(more) - 1; last >= 0 {
		word, isWord := more[last].(string)
		if known, isKnown := levels[strings.ToLower(word)]; isKnown {
			level = known
		}
		if last > 0 || !isWord {
			data = more[0]
		}
	}
	if data == nil {
		if level != "info" {
			message = strings.ToUpper(level) + " " + message
		}
		writeLine(os.Stderr, []byte(message))
		return
	}
	if text, err := logged(level, message, data); err == nil {
		writeLine(os.Stderr, text)
	} else {
		// Its values stay out of this: fmt has no end for one that contains itself, either.
		Log(message, F("data", fmt.Sprintf("%T cannot be written: %v", data, err)), level)
	}
}

func logged(level, message string, data any) (text []byte, err error) {
	defer catch(&err)
	fields, isObject := fieldsOf(data)
	if !isObject {
		fields = F("data", data)
	}
	return encode(append(F("level", level, "message", message), fields.without("level", "message", "_metric")...))
}

func outcome(status, message string, data []any) error {
	fields := F("status", status, "message", message)
	if len(data) > 0 && data[0] != nil {
		fields = append(fields, Field{"data", data[0]})
	}
	return Result(fields)
}

// Success reports that a scheduled run went well, with data in its result if it is given. The last report of a run wins.
func Success(message string, data ...any) error { return outcome("success", message, data) }

// Error reports a failure, with data in its result if it is given, logs the message as an error and ends the process with exit
// code 1.
func Error(message string, data ...any) {
	Log(message, append(data[:len(data):len(data)], "error")...)
	if err := outcome("error", message, data); err != nil {
		Log("The result cannot be written: "+err.Error(), "error")
	}
	os.Exit(1)
}

// Result writes a result of the bot's own: any value that JSON can hold.
func Result(data any) error {
	text, err := encode(data)
	if err != nil {
		return err
	}
	return replaceFile(variable(filepath.Join(os.Getenv("CODE_MOUNT_DIR"), "result.json"), "RESULT_FILE"), text)
}

// Sleep waits; a time below 0 is none.
func Sleep(duration time.Duration) { time.Sleep(duration) }

// CurrentTimestamp is the time now in milliseconds since 1970, as metrics have it.
func CurrentTimestamp() int64 { return time.Now().UnixMilli() }

// failed is how an error gets from need and insist to catch, in the function of the SDK that returns it.
type failed struct{ error }

func need[T any](value T, err error) T {
	if err != nil {
		panic(failed{err})
	}
	return value
}

func insist(holds bool, wrong string, parts ...any) {
	if !holds {
		panic(failed{fmt.Errorf(wrong, parts...)})
	}
}

func catch(err *error) {
	if thrown := recover(); thrown != nil {
		own, isOwn := thrown.(failed)
		if !isOwn {
			panic(thrown)
		}
		*err = own.error
	}
}

func try(call func()) (err error) {
	defer catch(&err)
	call()
	return nil
}

// guarded gives a panic of the bot as an error.
func guarded(call func() error) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = errors.New(fmt.Sprint(thrown))
		}
	}()
	return call()
}
