package platform

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Request is what a handler gets: a path such as "/status", and parameters, which are texts by name.
type Request struct {
	Path   string
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

// Handlers by path.
var handlers sync.Map

// HandleQuery registers a function for a path such as "/status". It panics for a path that does not begin with /.
func HandleQuery(path string, handler Handler) {
	if !strings.HasPrefix(path, "/") || handler == nil {
		panic("platform.HandleQuery needs a path that begins with /, and a function")
	}
	handlers.Store(path, handler)
}

func paths() []string {
	all := []string{}
	handlers.Range(func(path, _ any) bool {
		all = append(all, path.(string))
		return true
	})
	sort.Strings(all)
	return all
}

func failure(code int, text string, more ...any) (int, []byte) {
	body, _ := encode(append(F("status", "error", "error", text), F(more...)...))
	return code, body
}

// answer runs the handler of a path and wraps what it gives.
func answer(request *Request) (int, []byte) {
	found, isThere := handlers.Load(request.Path)
	var handler Handler
	switch {
	case isThere:
		handler = found.(Handler)
	case request.Path == "/health":
		handler = func(*Request) (any, error) { return F("status", "healthy"), nil }
	case request.Path == "/info":
		handler = func(*Request) (any, error) { return F("available_queries", paths()), nil }
	default:
		return failure(404, "No handler for path: "+request.Path, "available", paths())
	}
	var body []byte
	err := guarded(func() error {
		name := goroutine()
		handling.Store(name, request)
		defer handling.Delete(name)
		data, err := handler(request)
		if err == nil {
			// Types of the bot may write themselves, and fail at it.
			body, err = encode(F("status", "ok", "data", data))
		}
		return err
	})
	if err != nil {
		return failure(500, err.Error())
	}
	return 200, body
}

// addParams adds the parameters in the text of a JSON object: a value that is no text is given as JSON.
func addParams(params map[string]string, text, source string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	value, err := Ordered([]byte(text))
	insist(err == nil, "%s: %w", source, err)
	fields, isObject := value.(Fields)
	insist(isObject, "%s: not a JSON object", source)
	for _, field := range fields {
		own, isText := field.Value.(string)
		if !isText {
			own = string(need(encode(field.Value)))
		}
		params[field.Name] = own
	}
}

func answerRun(path string) (code int, body []byte) {
	params := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "QUERY_PARAM_") {
			params[strings.TrimPrefix(name, "QUERY_PARAM_")] = value
		}
	}
	if err := try(func() { addParams(params, os.Getenv("QUERY_PARAMS"), "QUERY_PARAMS") }); err != nil {
		return failure(400, err.Error())
	}
	return answer(&Request{path, params})
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// receive waits for the one question, and puts it into the environment, where a plain query run has it. It ends the process when
// no question comes any more.
func receive(reports *os.File) string {
	need(reports.WriteString("ready\n"))
	line, err := bufio.NewReaderSize(os.Stdin, 1<<16).ReadString('\n')
	if err != nil {
		os.Exit(0)
	}
	var question struct {
		Path   string
		Params map[string]string
	}
	need(0, json.Unmarshal([]byte(line), &question))
	for name, value := range question.Params {
		if plainName.MatchString(name) && !strings.Contains(value, "\x00") {
			need(0, os.Setenv("QUERY_PARAM_"+name, value))
		}
	}
	need(0, os.Setenv("QUERY_PARAMS", string(need(encode(question.Params)))))
	need(0, os.Setenv("QUERY_PATH", question.Path))
	return question.Path
}

// RunQueries answers the one query of a query run and ends the process, with exit code 1 for an error; else it serves queries
// until SIGTERM or SIGINT, and returns. A bot that serves beside its own work calls ServeQueries in a goroutine instead.
func RunQueries() (err error) {
	defer catch(&err)
	path := os.Getenv("QUERY_PATH")
	number, wrong := strconv.Atoi(os.Getenv("PLATFORM_QUERY_WARM"))
	isWarm := wrong == nil && path == ""
	var reports *os.File
	if isWarm {
		reports = os.NewFile(uintptr(number), "reports")
		path = receive(reports)
	}
	if path == "" {
		until, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
		defer stop()
		return ServeQueries(until)
	}
	file := os.Getenv("QUERY_RESULT_FILE")
	insist(file != "", "QUERY_RESULT_FILE is not set")
	code, body := answerRun(path)
	wrong = replaceFile(file, body)
	insist(wrong == nil, "the answer cannot be written: %w", wrong)
	if isWarm {
		need(reports.WriteString("done\n"))
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
