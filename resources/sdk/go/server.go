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
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	mostBytes = 64 * 1024 // of the head, and of the body
	slow      = 10 * time.Second
)

var (
	// The token of this run, or "".
	queryToken = take("QUERY_TOKEN")
	hostName   = regexp.MustCompile(`^(?:\[([^\]]*)\]|([^:\[\]]*))(?::\d{1,5})?$`)
)

type headers map[string][]string

// readHead reads the words of the first line, and the headers, with CRLF or LF. net/http would refuse some of them by itself, in
// words that no client of a bot expects.
func readHead(from *bufio.Reader) (words []string, all headers) {
	for all = (headers{}); ; {
		line := need(from.ReadString('\n'))
		line = strings.TrimRight(line, "\r\n")
		name, value, isHeader := strings.Cut(line, ":")
		switch {
		case words == nil:
			words = strings.Split(line, " ")
			insist(len(words) == 3 && strings.HasPrefix(words[2], "HTTP/1."), "this is no HTTP")
		case line == "":
			return words, all
		default:
			insist(isHeader && name != "" && !strings.ContainsAny(name, " \t"), "a header is none")
			name = strings.ToLower(name)
			all[name] = append(all[name], strings.Trim(value, " \t"))
		}
	}
}

// announced is a body that has its Content-Length.
type announced struct{ io.LimitedReader }

// Read fails where the body ends before its length.
func (body *announced) Read(into []byte) (count int, err error) {
	if count, err = body.LimitedReader.Read(into); err == io.EOF && body.N > 0 {
		err = errors.New("the body ends before its Content-Length")
	}
	return count, err
}

// body gives the body as the headers announce it.
func (all headers) body(from io.Reader) io.Reader {
	coding, length := all["transfer-encoding"], all["content-length"]
	if len(coding) == 1 && strings.EqualFold(coding[0], "chunked") && len(length) == 0 {
		return httputil.NewChunkedReader(from)
	}
	insist(len(coding) == 0 && len(length) <= 1, "the length of the body is not clear")
	size, err := strconv.ParseUint(append(length, "0")[0], 10, 40)
	insist(err == nil, "the length of the body is no number")
	return &announced{io.LimitedReader{R: from, N: int64(size)}}
}

// isOwnHost: an IP address or localhost, with or without a port. A page on another site cannot have such a name.
func isOwnHost(text string) bool {
	parts := append(hostName.FindStringSubmatch(text), "", "", "")
	if strings.HasPrefix(text, "[") {
		return net.ParseIP(parts[1]) != nil && strings.Contains(parts[1], ":")
	}
	return strings.EqualFold(parts[2], "localhost") || net.ParseIP(parts[2]).To4() != nil
}

// refusal says why a request is not answered: 0 for one that may ask.
func (all headers) refusal() (int, []byte) {
	host, given := all["host"], append(all["x-query-token"], "")
	one, other := sha256.Sum256([]byte(given[0])), sha256.Sum256([]byte(queryToken))
	switch {
	case len(all["origin"]) > 0:
		return failure(403, "Web pages may not query a bot: the request has an Origin")
	case len(host) != 1 || !isOwnHost(host[0]):
		return failure(403, "Query a bot by IP address or localhost: the request has another Host")
	case queryToken != "" && (len(given) != 2 || subtle.ConstantTimeCompare(one[:], other[:]) != 1):
		return failure(401, "This bot answers its host only: X-Query-Token is missing or wrong")
	}
	return 0, nil
}

// readRequest gives path and parameters: those of the address, then those of the JSON body, which win.
func readRequest(method, target string, body io.Reader) *Request {
	insist(method == "GET" || method == "POST", "send GET or POST, not %s", method)
	insist(strings.HasPrefix(target, "/"), "the address must be a path")
	text := need(io.ReadAll(io.LimitReader(body, mostBytes+1)))
	insist(len(text) <= mostBytes, "the body is larger than %d bytes", mostBytes)
	raw, query, _ := strings.Cut(target, "?")
	params := map[string]string{}
	for name, all := range need(url.ParseQuery(query)) {
		params[name] = all[len(all)-1]
	}
	addParams(params, string(text), "the body cannot be used")
	return &Request{need(url.PathUnescape(raw)), params}
}

func reply(connection net.Conn) (code int, text []byte) {
	limited := &io.LimitedReader{R: connection, N: mostBytes}
	from := bufio.NewReader(limited)
	err := try(func() {
		words, all := readHead(from)
		limited.N = 1 << 40
		body := all.body(from)
		// One that is too large is read to its end, so that its sender hears the answer.
		defer func() { _, _ = io.Copy(io.Discard, body) }()
		if code, text = all.refusal(); code == 0 {
			code, text = answer(readRequest(words[0], words[1], body))
		}
	})
	if err != nil {
		return failure(400, "Bad request: "+err.Error())
	}
	return code, text
}

// talk answers one request. Each connection carries one: the host asks over loopback, where a connection costs nothing.
func talk(connection net.Conn) {
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(slow))
	code, text := reply(connection)
	// A handler may take longer than a client.
	_ = connection.SetDeadline(time.Now().Add(slow))
	const form = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
	_, _ = fmt.Fprintf(connection, form, code, http.StatusText(code), len(text), text)
}

// variable gives the first of these variables that is set, else the fallback.
func variable(fallback string, names ...string) string {
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return fallback
}

// ServeQueries serves queries on QUERY_PORT of this machine (in a container: PLATFORM_QUERY_BIND) until the context is done. It
// fails when the port is taken, and leaves signals to the bot.
func ServeQueries(until context.Context) (err error) {
	defer catch(&err)
	port := variable("9476", "QUERY_PORT", "PLATFORM_QUERY_PORT")
	listener := need(net.Listen("tcp", net.JoinHostPort(variable("127.0.0.1", "PLATFORM_QUERY_BIND"), port)))
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
