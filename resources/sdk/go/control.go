package platform

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	hookBytes  = 4096
	errorBytes = 500
	pollEvery  = 100 * time.Millisecond
)

var (
	controlFolder = take("CONTROL_DIR")
	controlDigest = take("CONTROL_TOKEN_SHA256")
	stopMutex     sync.Mutex
	stopReasons   []string
	stopHandlers  = map[string]func(reason string) error{}
)

// tell writes in place, into space that the host has reserved: this works on a full disk.
func tell(ended any) error {
	text, err := encode(F("reasons", stopReasons, "ended", ended))
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(controlFolder, "hook"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	line := strings.Repeat(" ", hookBytes-len(text))
	_, err = file.WriteAt(append(text, line...), 0)
	return err
}

// asked gives the reason of the stop that the host asks for; "" while there is none, or another program has written it.
func asked() string {
	file, err := openPlain(filepath.Join(controlFolder, "stop"))
	if err != nil {
		return ""
	}
	defer file.Close()
	var stop struct{ Token, Reason string }
	text, err := io.ReadAll(file)
	if err != nil || json.Unmarshal(text, &stop) != nil {
		return ""
	}
	given := sha256.Sum256([]byte(stop.Token))
	if subtle.ConstantTimeCompare([]byte(hex.EncodeToString(given[:])), []byte(controlDigest)) != 1 {
		return ""
	}
	return stop.Reason
}

func runStop(reason string) {
	stopMutex.Lock()
	handler, isOwn := stopHandlers[reason]
	if !isOwn {
		handler = stopHandlers["any"]
	}
	stopMutex.Unlock()
	ended := F("error", nil)
	if handler != nil {
		if err := guarded(func() error { return handler(reason) }); err != nil {
			Log("The stop hook failed: "+err.Error(), "error")
			text := err.Error()
			if len(text) > errorBytes {
				text = text[:errorBytes]
			}
			ended = F("error", text)
		}
	}
	stopMutex.Lock()
	defer stopMutex.Unlock()
	if err := tell(ended); err != nil {
		Log("The host is not told that the stop hook has ended: "+err.Error(), "error")
	}
}

// guarded gives a panic as an error.
func guarded(call func() error) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("%v", thrown)
		}
	}()
	return call()
}

func watch() {
	for {
		time.Sleep(pollEvery)
		if reason := asked(); reason != "" {
			runStop(reason)
			return
		}
	}
}

// OnStop registers a function that runs before the host ends this bot. The reason is requested, guard, panic, update, shutdown,
// or any for those without a handler of their own. The handler is called once, in a goroutine of its own, may write state and
// has 10 seconds, then SIGTERM follows. No query and no other program can call it.
func OnStop(reason string, handler func(reason string) error) error {
	switch reason {
	case "requested", "guard", "panic", "update", "shutdown", "any":
	default:
		return fmt.Errorf("%q is no reason to stop: use requested, guard, panic, update, shutdown or any", reason)
	}
	stopMutex.Lock()
	defer stopMutex.Unlock()
	isFirst := len(stopReasons) == 0
	if _, isKnown := stopHandlers[reason]; !isKnown {
		stopReasons = append(stopReasons, reason)
	}
	stopHandlers[reason] = handler
	if controlFolder == "" {
		return nil
	}
	if isFirst {
		go watch()
	}
	return tell(nil)
}
