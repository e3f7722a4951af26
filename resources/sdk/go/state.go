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
	"sync/atomic"
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

var temporaries int64

// openTemporary makes a file of our own: a crash may have left one of this name behind.
func openTemporary(folder string) (*os.File, error) {
	for {
		name := fmt.Sprintf(".tmp-%d-%d", os.Getpid(), atomic.AddInt64(&temporaries, 1))
		file, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, os.ErrExist) {
			return file, err
		}
	}
}

// replaceFile replaces a file as a whole: readers see the old bytes or the new ones, also after a power cut.
func replaceFile(path string, text []byte) error {
	file, err := openTemporary(filepath.Dir(path))
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

func fileOf(key string) (string, error) {
	folder := os.Getenv("STATE_DIR")
	if folder == "" {
		return "", errors.New("STATE_DIR is not set: start the bot with the platform, or with `platform dev`")
	}
	bad := key == "" || len(key) > keyBytes || !utf8.ValidString(key) || strings.ContainsAny(key, "/\\\x00")
	if bad || key == "." || key == ".." {
		return "", fmt.Errorf("%q %w", key, ErrInvalidKey)
	}
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
	return filepath.Join(folder, name.String()+suffix), nil
}

func fileToWrite(key string) (string, error) {
	if isReadOnly() {
		return "", ErrReadOnlyState
	}
	return fileOf(key)
}

// GetState returns the value under a key as the type of the fallback, and the fallback when there is none.
func GetState[T any](key string, fallback T) (T, error) {
	path, err := fileOf(key)
	if err != nil {
		return fallback, err
	}
	file, err := openPlain(path)
	if errors.Is(err, os.ErrNotExist) {
		return fallback, nil
	}
	if err != nil {
		return fallback, err
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return fallback, err
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		return fallback, fmt.Errorf("the state under %q cannot be read as %T: %w", key, value, err)
	}
	return value, nil
}

// SetState stores a value of at most 10 MiB of JSON under a key; readers see the old value or the new one, never a mix.
func SetState(key string, value any) error {
	path, err := fileToWrite(key)
	if err != nil {
		return err
	}
	text, err := encode(value)
	if err != nil {
		return err
	}
	if len(text) > valueBytes {
		return fmt.Errorf("the value of %s is %d bytes; at most %d fit", key, len(text), valueBytes)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return replaceFile(path, text)
}

// DeleteState removes a key; true when it was there.
func DeleteState(key string) (bool, error) {
	path, err := fileToWrite(key)
	if err != nil {
		return false, err
	}
	err = os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// HasState tells whether there is a value under a key.
func HasState(key string) (bool, error) {
	path, err := fileOf(key)
	if err != nil {
		return false, err
	}
	found, err := os.Lstat(path)
	return err == nil && found.Mode().IsRegular(), nil
}

// ListState returns all keys, sorted by their bytes.
func ListState() ([]string, error) {
	entries, err := os.ReadDir(os.Getenv("STATE_DIR"))
	if errors.Is(err, os.ErrNotExist) {
		return []string{}, nil
	}
	keys := []string{}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), suffix)
		key, wrong := url.PathUnescape(name)
		if wrong != nil || name == entry.Name() || !entry.Type().IsRegular() {
			continue
		}
		// What the bot itself put into the folder need not be one of ours.
		if path, wrong := fileOf(key); wrong == nil && filepath.Base(path) == entry.Name() {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys, err
}

// ClearState removes all keys, one after the other. What the bot itself put beside them stays.
func ClearState() error {
	if isReadOnly() {
		return ErrReadOnlyState
	}
	keys, err := ListState()
	for _, key := range keys {
		if err == nil {
			_, err = DeleteState(key)
		}
	}
	return err
}
