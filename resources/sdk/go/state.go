package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	keyBytes   = 128
	valueBytes = 10 * 1024 * 1024
	suffix     = ".json"
)

// ErrInvalidKey is the error of a key that cannot be used: keys have 1 to 128 bytes without / and \, and are not "." or "..".
var ErrInvalidKey = errors.New("is no state key: use 1 to 128 bytes without / and \\, not \".\" or \"..\"")

// ErrReadOnlyState is the error of a query that would change state.
var ErrReadOnlyState = errors.New("A query must not change state: write it in the bot, read it in the handler")

// readPlain reads a file, and follows no link at its end.
func readPlain(path string) (text []byte, err error) {
	defer catch(&err)
	for {
		found := need(os.Lstat(path))
		insist(found.Mode().IsRegular(), "%s is a link, or no file", path)
		file := need(os.Open(path))
		defer file.Close()
		// Another one may have taken its place meanwhile.
		if os.SameFile(found, need(file.Stat())) {
			return io.ReadAll(file)
		}
	}
}

// replaceFile replaces a file as a whole: readers see the old bytes or the new ones, also after a power cut.
func replaceFile(path string, text []byte) (err error) {
	defer catch(&err)
	file := need(os.CreateTemp(filepath.Dir(path), fmt.Sprintf(".tmp-%d-*", os.Getpid())))
	defer func() {
		_ = file.Close()
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	defer catch(&err)
	need(file.Write(text))
	need(0, file.Sync())
	need(0, file.Close())
	return os.Rename(file.Name(), path)
}

func isKey(key string) bool {
	return key != "" && key != "." && key != ".." && len(key) <= keyBytes && utf8.ValidString(key) &&
		!strings.ContainsAny(key, "/\\\x00")
}

func fileOf(key string) string {
	folder := os.Getenv("STATE_DIR")
	insist(folder != "", "STATE_DIR is not set: start the bot with the platform, or with `platform dev`")
	insist(isKey(key), "%q %w", key, ErrInvalidKey)
	var name strings.Builder
	for at := 0; at < len(key); at++ {
		letter := key[at]
		isPlain := letter >= 'A' && letter <= 'Z' || letter >= 'a' && letter <= 'z' || letter >= '0' && letter <= '9'
		if isPlain || letter == '_' || letter == '-' || letter == '.' && at > 0 {
			name.WriteByte(letter)
		} else {
			fmt.Fprintf(&name, "%%%02X", letter)
		}
	}
	return filepath.Join(folder, name.String()+suffix)
}

// In a query run, and inside a handler, state cannot be written.
func insistOnWriting() {
	_, isHandling := handling.Load(goroutine())
	insist(!isHandling && !IsQueryMode(), "%w", ErrReadOnlyState)
}

// GetState returns the value under a key as the type of the fallback, and the fallback when there is none.
func GetState[T any](key string, fallback T) (value T, err error) {
	defer catch(&err)
	value = fallback
	text, err := readPlain(fileOf(key))
	if errors.Is(err, os.ErrNotExist) {
		return fallback, nil
	}
	var own T
	wrong := json.Unmarshal(need(text, err), &own)
	insist(wrong == nil, "the state under %q cannot be read as %T: %w", key, own, wrong)
	return own, nil
}

// SetState stores a value of at most 10 MiB of JSON under a key; readers see the old value or the new one, never a mix.
func SetState(key string, value any) (err error) {
	defer catch(&err)
	insistOnWriting()
	path, text := fileOf(key), need(encode(value))
	insist(len(text) <= valueBytes, "the value of %s is %d bytes; at most %d fit", key, len(text), valueBytes)
	need(0, os.MkdirAll(filepath.Dir(path), 0o755))
	return replaceFile(path, text)
}

// DeleteState removes a key; true when it was there.
func DeleteState(key string) (wasThere bool, err error) {
	defer catch(&err)
	insistOnWriting()
	if err = os.Remove(fileOf(key)); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// HasState tells whether there is a value under a key.
func HasState(key string) (isThere bool, err error) {
	defer catch(&err)
	found, wrong := os.Lstat(fileOf(key))
	return wrong == nil && found.Mode().IsRegular(), nil
}

// ListState returns all keys, sorted by their bytes.
func ListState() (keys []string, err error) {
	defer catch(&err)
	keys = []string{}
	entries, err := os.ReadDir(os.Getenv("STATE_DIR"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	for _, entry := range entries {
		key, wrong := url.PathUnescape(strings.TrimSuffix(entry.Name(), suffix))
		// What the bot itself put into the folder need not be one of ours.
		if wrong == nil && entry.Type().IsRegular() && isKey(key) && filepath.Base(fileOf(key)) == entry.Name() {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys, err
}

// ClearState removes all keys, one after the other. What the bot itself put beside them stays.
func ClearState() (err error) {
	defer catch(&err)
	insistOnWriting()
	for _, key := range need(ListState()) {
		need(DeleteState(key))
	}
	return nil
}
