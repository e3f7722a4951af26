// Package platform is the SDK for bots in Go on Bot Platform. It has no dependencies.
package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

var output sync.Mutex

func writeLine(file *os.File, text []byte) {
	output.Lock()
	defer output.Unlock()
	// One call for the whole line: lines of several goroutines do not mix. Nobody can be told where it fails.
	_, _ = file.Write(append(text, '\n'))
}

// Parse reads the bot's id and its configuration (the effective one, with defaults filled in): id, config, err :=
// platform.Parse[Config](). It fails without BOT_ID, and without a BOT_CONFIG that is a JSON object which fits the type: a bot
// never goes on without the settings of its owner.
func Parse[C any]() (id string, config C, err error) {
	id, text := os.Getenv("BOT_ID"), os.Getenv("BOT_CONFIG")
	for name, value := range map[string]string{"BOT_ID": id, "BOT_CONFIG": text} {
		if value == "" {
			return "", config, fmt.Errorf("%s is not set: start the bot with the platform, or with `platform dev`", name)
		}
	}
	if !json.Valid([]byte(text)) {
		return "", config, errors.New("BOT_CONFIG is not JSON")
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "", config, errors.New("BOT_CONFIG is no JSON object")
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		return "", config, fmt.Errorf("BOT_CONFIG does not fit %T: %w", config, err)
	}
	return id, config, nil
}

// fieldsOf gives the fields of an object: F(...), a struct, or a map with texts as keys.
func fieldsOf(data any) (Fields, bool, error) {
	if data == nil {
		return nil, false, nil
	}
	if fields, isFields := data.(Fields); isFields {
		return fields, true, nil
	}
	text, err := encode(data)
	if err != nil {
		return nil, false, err
	}
	value, err := decode(text)
	if err != nil {
		return nil, false, err
	}
	fields, isObject := value.(Fields)
	return fields, isObject, nil
}

// Metric emits a metric: data, which is F(...), a struct, a map or nil, is shown and charted under its type. A `timestamp` in
// it (ms since 1970, or RFC 3339) is its time, else it is now. It fails for an empty type, and for data that is no object.
func Metric(kind string, data any) error {
	if kind == "" {
		return errors.New("the type of a metric must be a text")
	}
	fields, isObject, err := fieldsOf(data)
	if err != nil {
		return err
	}
	if data != nil && !isObject {
		return fmt.Errorf("the data of a metric must be an object, not %T", data)
	}
	time, isTimed := fields.Get("timestamp")
	if !isTimed || time == nil {
		time = CurrentTimestamp()
	}
	line := append(F("_metric", kind), fields.without("_metric", "timestamp")...)
	text, err := encode(append(line, Field{"timestamp", time}))
	if err == nil {
		writeLine(os.Stdout, text)
	}
	return err
}

var levels = map[string]string{
	"debug": "debug", "info": "info", "warn": "warn", "warning": "warn",
	"error": "error", "critical": "error", "fatal": "error",
}

// Log writes a log line: Log(message), Log(message, "warn"), Log(message, data) or Log(message, data, "warn"). The level is
// debug, info, warn or error, in any case; any other is info. With data the line is a JSON object whose fields are shown.
func Log(message string, more ...any) {
	word, isWord := "", false
	var data any
	switch len(more) {
	case 0:
	case 1:
		if word, isWord = more[0].(string); !isWord {
			data = more[0]
		}
	default:
		data = more[0]
		word = fmt.Sprint(more[1])
	}
	level, isKnown := levels[strings.ToLower(word)]
	if !isKnown {
		level = "info"
	}
	if data == nil {
		if level != "info" {
			message = strings.ToUpper(level) + " " + message
		}
		writeLine(os.Stderr, []byte(message))
		return
	}
	fields, isObject, err := fieldsOf(data)
	if err != nil || !isObject {
		fields = F("data", data)
	}
	text, err := encode(append(F("level", level, "message", message), fields.without("level", "message", "_metric")...))
	if err != nil {
		text, _ = encode(F("level", level, "message", message, "data", fmt.Sprint(data)))
	}
	writeLine(os.Stderr, text)
}

func resultFile() string {
	if file := os.Getenv("RESULT_FILE"); file != "" {
		return file
	}
	return filepath.Join(os.Getenv("CODE_MOUNT_DIR"), "result.json")
}

func outcome(status, message string, data []any) Fields {
	fields := F("status", status, "message", message)
	if len(data) > 0 && data[0] != nil {
		fields = append(fields, Field{"data", data[0]})
	}
	return fields
}

// Success reports that a scheduled run went well, with data in its result if it is given. The last report of a run wins.
func Success(message string, data ...any) error {
	return Result(outcome("success", message, data))
}

// Error reports a failure, with data in its result if it is given, logs the message as an error and ends the process with exit
// code 1.
func Error(message string, data ...any) {
	if len(data) > 0 {
		Log(message, data[0], "error")
	} else {
		Log(message, "error")
	}
	if err := Result(outcome("error", message, data)); err != nil {
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
	return replaceFile(resultFile(), text)
}

// Sleep waits; a time below 0 is none.
func Sleep(duration time.Duration) {
	time.Sleep(duration)
}

// CurrentTimestamp is the time now in milliseconds since 1970, as metrics have it.
func CurrentTimestamp() int64 {
	return time.Now().UnixMilli()
}
