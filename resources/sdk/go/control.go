package platform

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	hookBytes    = 4096
	errorLetters = 500
	pollEvery    = 100 * time.Millisecond
)

var (
	controlFolder = take("CONTROL_DIR")
	controlDigest = take("CONTROL_TOKEN_SHA256")
	stopMutex     sync.Mutex
	watching      sync.Once
	stopReasons   []string
	stopHandlers  = map[string]func(reason string) error{}
)

// tell writes in place, into space that the host has reserved: this works on a full disk.
func tell(ended any) (err error) {
	defer catch(&err)
	text := need(encode(F("reasons", stopReasons, "ended", ended)))
	file := need(os.OpenFile(filepath.Join(controlFolder, "hook"), os.O_WRONLY, 0))
	defer file.Close()
	_, err = file.WriteAt(append(text, strings.Repeat(" ", hookBytes-len(text))...), 0)
	return err
}

// asked gives the reason of the stop that the host asks for; "" while there is none, or another program has written it.
func asked() string {
	var stop struct{ Token, Reason string }
	text, err := readPlain(filepath.Join(controlFolder, "stop"))
	if err != nil || json.Unmarshal(text, &stop) != nil {
		return ""
	}
	// Two digests are compared: how long that takes tells nothing of the token.
	if given := sha256.Sum256([]byte(stop.Token)); hex.EncodeToString(given[:]) != controlDigest {
		return ""
	}
	return stop.Reason
}

// watch waits for the stop, runs the handler, and tells the host that it has ended.
func watch() {
	reason := ""
	for ; reason == ""; reason = asked() {
		time.Sleep(pollEvery)
	}
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
			ended = F("error", fmt.Sprintf("%.*s", errorLetters, err))
		}
	}
	stopMutex.Lock()
	defer stopMutex.Unlock()
	if err := tell(ended); err != nil {
		Log("The host is not told that the stop hook has ended: "+err.Error(), "error")
	}
}

// OnStop registers a function that runs before the host ends this bot. The reason is requested, guard, panic, update, shutdown,
// or any for those without a handler of their own. The handler is called once, in a goroutine of its own, may write state and
// has 10 seconds, then SIGTERM follows. No query and no other program can call it.
func OnStop(reason string, handler func(reason string) error) error {
	if !isOneOf(reason, strings.Fields("requested guard panic update shutdown any")) {
		return fmt.Errorf("%q is no reason to stop: use requested, guard, panic, update, shutdown or any", reason)
	}
	stopMutex.Lock()
	defer stopMutex.Unlock()
	if !isOneOf(reason, stopReasons) {
		stopReasons = append(stopReasons, reason)
	}
	stopHandlers[reason] = handler
	if controlFolder == "" {
		return nil
	}
	watching.Do(func() { go watch() })
	return tell(nil)
}
