package platform

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	bodyBytes   = 64 * 1024
	headBytes   = 64 * 1024
	slow        = 10 * time.Second
	defaultPort = "9476"
)

// The token of this run, or "".
var queryToken = take("QUERY_TOKEN")

type head struct {
	method, target string
	headers        map[string][]string
}

// readHead reads the first line and the headers, with CRLF or LF. net/http would refuse some of them by itself, in words that
// no client of a bot expects.
func readHead(from *bufio.Reader) (*head, error) {
	left := headBytes
	line := func() (string, error) {
		var text []byte
		for {
			part, err := from.ReadSlice('\n')
			text = append(text, part...)
			if left -= len(part); left < 0 {
				return "", errors.New("the headers are too long")
			}
			if err == nil {
				return strings.TrimRight(string(text), "\r\n"), nil
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return "", err
			}
		}
	}
	first, err := line()
	if err != nil {
		return nil, err
	}
	words := strings.Split(first, " ")
	if len(words) != 3 || !strings.HasPrefix(words[2], "HTTP/1.") {
		return nil, errors.New("this is no HTTP")
	}
	all := &head{words[0], words[1], map[string][]string{}}
	for {
		text, err := line()
		if err != nil || text == "" {
			return all, err
		}
		name, value, isHeader := strings.Cut(text, ":")
		if !isHeader || name == "" || strings.ContainsAny(name, " \t") {
			return nil, errors.New("a header is none")
		}
		name = strings.ToLower(name)
		all.headers[name] = append(all.headers[name], strings.Trim(value, " \t"))
	}
}

// bodyOf gives the body as its headers announce it.
func (all *head) bodyOf(from *bufio.Reader) (io.Reader, error) {
	coding := all.headers["transfer-encoding"]
	length := all.headers["content-length"]
	if len(coding) == 1 && strings.EqualFold(coding[0], "chunked") && len(length) == 0 {
		return httputil.NewChunkedReader(from), nil
	}
	if len(coding) > 0 || len(length) > 1 {
		return nil, errors.New("the length of the body is not clear")
	}
	if len(length) == 0 {
		return strings.NewReader(""), nil
	}
	size, err := strconv.ParseUint(length[0], 10, 40)
	if err != nil {
		return nil, errors.New("the length of the body is no number")
	}
	return io.LimitReader(from, int64(size)), nil
}

var hostName = regexp.MustCompile(`^(?:\[([^\]]*)\]|([^:\[\]]*))(?::\d{1,5})?$`)

// isOwnHost: an IP address or localhost, with or without a port. A page on another site cannot have such a name.
func isOwnHost(text string) bool {
	parts := hostName.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	if parts[1] != "" || strings.HasPrefix(text, "[") {
		return net.ParseIP(parts[1]) != nil && strings.Contains(parts[1], ":")
	}
	return strings.EqualFold(parts[2], "localhost") || net.ParseIP(parts[2]).To4() != nil
}

// refusal says why a request is not answered: 0 for one that may ask.
func (all *head) refusal() (int, string) {
	if len(all.headers["origin"]) > 0 {
		return 403, "Web pages may not query a bot: the request has an Origin"
	}
	host, given := all.headers["host"], all.headers["x-query-token"]
	if len(host) != 1 || !isOwnHost(host[0]) {
		return 403, "Query a bot by IP address or localhost: the request has another Host"
	}
	if queryToken == "" {
		return 0, ""
	}
	if len(given) == 1 {
		one, other := sha256.Sum256([]byte(given[0])), sha256.Sum256([]byte(queryToken))
		if subtle.ConstantTimeCompare(one[:], other[:]) == 1 {
			return 0, ""
		}
	}
	return 401, "This bot answers its host only: X-Query-Token is missing or wrong"
}

// read gives path and parameters: those of the address, then those of the JSON body, which win.
func (all *head) read(body io.Reader) (*Request, error) {
	if all.method != "GET" && all.method != "POST" {
		return nil, fmt.Errorf("send GET or POST, not %s", all.method)
	}
	if !strings.HasPrefix(all.target, "/") {
		return nil, errors.New("the address must be a path")
	}
	text, err := io.ReadAll(io.LimitReader(body, bodyBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > bodyBytes {
		return nil, fmt.Errorf("the body is larger than %d bytes", bodyBytes)
	}
	raw, query, _ := strings.Cut(all.target, "?")
	path, err := url.PathUnescape(raw)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	params := map[string]string{}
	for name, all := range values {
		params[name] = all[len(all)-1]
	}
	if err := addParams(params, string(text)); err != nil {
		return nil, fmt.Errorf("the body cannot be used: %w", err)
	}
	return &Request{path, params}, nil
}

func (all *head) answer(body io.Reader) (int, []byte) {
	if code, why := all.refusal(); code != 0 {
		return failure(code, why)
	}
	request, err := all.read(body)
	if err != nil {
		return failure(400, "Bad request: "+err.Error())
	}
	return answer(request)
}

var reasons = map[int]string{200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 500: "Internal Server Error"}

// talk answers one request. Each connection carries one: the host asks over loopback, where a connection costs nothing.
func talk(connection net.Conn) {
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(slow))
	from := bufio.NewReader(connection)
	var code int
	var text []byte
	all, err := readHead(from)
	if err == nil {
		var body io.Reader
		if body, err = all.bodyOf(from); err == nil {
			code, text = all.answer(body)
			// One that is too large is read to its end, so that its sender hears the answer.
			_, _ = io.Copy(io.Discard, body)
		}
	}
	if err != nil {
		code, text = failure(400, "Bad request: "+err.Error())
	}
	// A handler may take longer than a client.
	_ = connection.SetDeadline(time.Now().Add(slow))
	const form = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
	_, _ = connection.Write(append([]byte(fmt.Sprintf(form, code, reasons[code], len(text))), text...))
}

func first(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

// ServeQueries serves queries on QUERY_PORT of this machine (in a container: PLATFORM_QUERY_BIND) until the context is done. It
// fails when the port is taken, and leaves signals to the bot.
func ServeQueries(until context.Context) error {
	port := first(os.Getenv("QUERY_PORT"), os.Getenv("PLATFORM_QUERY_PORT"), defaultPort)
	listener, err := net.Listen("tcp", net.JoinHostPort(first(os.Getenv("PLATFORM_QUERY_BIND"), "127.0.0.1"), port))
	if err != nil {
		return err
	}
	go func() {
		<-until.Done()
		_ = listener.Close()
	}()
	for {
		connection, err := listener.Accept()
		switch {
		case until.Err() != nil:
			return nil
		case err != nil:
			// Such as too many open files: others may end meanwhile.
			time.Sleep(10 * time.Millisecond)
		default:
			go talk(connection)
		}
	}
}

func serveUntilSignal() error {
	until, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	return ServeQueries(until)
}
