package platform

import (
	"bytes"
	"os"
	"runtime"
	"sync"
)

// Requests that are answered now, by the goroutine that runs the handler.
var handling sync.Map

// goroutine names the goroutine that calls; Go has no other way to ask for it.
func goroutine() string {
	var text [64]byte
	name, _, _ := bytes.Cut(text[:runtime.Stack(text[:], false)], []byte(" ["))
	return string(name)
}

// IsQueryMode tells whether this program was started to answer one query, and ends with it.
func IsQueryMode() bool {
	// One that waits for its question has no QUERY_PATH yet.
	return os.Getenv("QUERY_PATH") != "" || os.Getenv("QUERY_RESULT_FILE") != ""
}

// isReadOnly: in a query run, and inside a handler, state cannot be written.
func isReadOnly() bool {
	if IsQueryMode() {
		return true
	}
	_, isHandling := handling.Load(goroutine())
	return isHandling
}

// QueryParams gives the parameters of the query that this goroutine answers now, as texts by name; none outside of a handler.
func QueryParams() map[string]string {
	if request, isHandling := handling.Load(goroutine()); isHandling {
		return request.(*Request).Params
	}
	return map[string]string{}
}

// take takes a variable out of the environment: programs that the bot starts are not told of it.
func take(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name)
	return value
}
