package platform

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// Request is what a handler gets: parameters are texts.
type Request struct {
	// Path such as "/status".
	Path string
	// Params by name.
	Params map[string]string
}

// Get returns a parameter, or the fallback when it was not sent.
func (request *Request) Get(name, fallback string) string {
	if value, isThere := request.Params[name]; isThere {
		return value
	}
	return fallback
}

// Has tells whether a parameter was sent.
func (request *Request) Has(name string) bool {
	_, isThere := request.Params[name]
	return isThere
}

// Handler answers a query with a value that JSON can hold, or an error.
type Handler func(request *Request) (any, error)

var (
	handlersMutex sync.RWMutex
	handlers      = map[string]Handler{}
	builtIn       = map[string]Handler{
		"/health": func(*Request) (any, error) { return F("status", "healthy"), nil },
		"/info":   func(*Request) (any, error) { return F("available_queries", paths()), nil },
	}
)

// HandleQuery registers a function for a path such as "/status". It panics for a path that does not begin with /.
func HandleQuery(path string, handler Handler) {
	if !strings.HasPrefix(path, "/") || handler == nil {
		panic("platform.HandleQuery needs a path that begins with /, and a function")
	}
	handlersMutex.Lock()
	defer handlersMutex.Unlock()
	handlers[path] = handler
}

func paths() []string {
	handlersMutex.RLock()
	defer handlersMutex.RUnlock()
	all := make([]string, 0, len(handlers))
	for path := range handlers {
		all = append(all, path)
	}
	sort.Strings(all)
	return all
}

func failure(code int, text string) (int, []byte) {
	body, _ := encode(F("status", "error", "error", text))
	return code, body
}

// answer runs the handler of a path and wraps what it gives.
func answer(request *Request) (int, []byte) {
	handlersMutex.RLock()
	handler := handlers[request.Path]
	handlersMutex.RUnlock()
	if handler == nil {
		handler = builtIn[request.Path]
	}
	if handler == nil {
		text := "No handler for path: " + request.Path
		body, _ := encode(F("status", "error", "error", text, "available", paths()))
		return 404, body
	}
	var data any
	err := guarded(func() (err error) {
		name := goroutine()
		handling.Store(name, request)
		defer handling.Delete(name)
		data, err = handler(request)
		return err
	})
	if err != nil {
		return failure(500, err.Error())
	}
	body, err := encode(F("status", "ok", "data", data))
	if err != nil {
		return failure(500, err.Error())
	}
	return 200, body
}

// addParams adds the parameters in the text of a JSON object: a value that is no text is given as JSON.
func addParams(params map[string]string, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	value, err := decode([]byte(text))
	if err != nil {
		return err
	}
	fields, isObject := value.(Fields)
	if !isObject {
		return errors.New("not a JSON object")
	}
	for _, field := range fields {
		if own, isText := field.Value.(string); isText {
			params[field.Name] = own
			continue
		}
		own, err := encode(field.Value)
		if err != nil {
			return err
		}
		params[field.Name] = string(own)
	}
	return nil
}

func answerRun(path string) (int, []byte) {
	params := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "QUERY_PARAM_") {
			params[strings.TrimPrefix(name, "QUERY_PARAM_")] = value
		}
	}
	if err := addParams(params, os.Getenv("QUERY_PARAMS")); err != nil {
		return failure(400, "QUERY_PARAMS: "+err.Error())
	}
	return answer(&Request{path, params})
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// receive waits for the one question, and puts it into the environment, where a plain query run has it. It ends the process when
// no question comes any more.
func receive(reports *os.File) (string, error) {
	if _, err := reports.WriteString("ready\n"); err != nil {
		return "", err
	}
	line, err := bufio.NewReaderSize(os.Stdin, 1<<16).ReadString('\n')
	if err != nil {
		os.Exit(0)
	}
	var question struct {
		Path   string
		Params map[string]string
	}
	if err := json.Unmarshal([]byte(line), &question); err != nil {
		return "", err
	}
	for name, value := range question.Params {
		if plainName.MatchString(name) && !strings.Contains(value, "\x00") {
			_ = os.Setenv("QUERY_PARAM_"+name, value)
		}
	}
	params, err := encode(question.Params)
	if err != nil {
		return "", err
	}
	_ = os.Setenv("QUERY_PARAMS", string(params))
	return question.Path, os.Setenv("QUERY_PATH", question.Path)
}

// RunQueries answers the one query of a query run and ends the process, with exit code 1 for an error; else it serves queries
// until SIGTERM or SIGINT, and returns. A bot that serves beside its own work calls ServeQueries in a goroutine instead.
func RunQueries() error {
	path := os.Getenv("QUERY_PATH")
	var reports *os.File
	if number, err := strconv.Atoi(os.Getenv("PLATFORM_QUERY_WARM")); err == nil && path == "" {
		reports = os.NewFile(uintptr(number), "reports")
		if path, err = receive(reports); err != nil {
			return err
		}
	}
	if path == "" {
		return serveUntilSignal()
	}
	file := os.Getenv("QUERY_RESULT_FILE")
	if file == "" {
		return errors.New("QUERY_RESULT_FILE is not set")
	}
	code, body := answerRun(path)
	if err := replaceFile(file, body); err != nil {
		return fmt.Errorf("the answer cannot be written: %w", err)
	}
	if reports != nil {
		if _, err := reports.WriteString("done\n"); err != nil {
			return err
		}
	}
	if code != 200 {
		os.Exit(1)
	}
	os.Exit(0)
	return nil
}

// QueryConfig gives the bot's configuration, as Parse does.
func QueryConfig[C any]() (C, error) {
	_, config, err := Parse[C]()
	return config, err
}
