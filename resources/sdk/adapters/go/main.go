// Adapter of the Go SDK for `platform sdk verify`: docs/sdks.md says what it has to do.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"time"

	platform "bot-platform/sdk"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// text gives a value as JSON.
func text(value any) string {
	all, err := platform.F("", value).MarshalJSON()
	check(err)
	return string(all[len(`{"":`) : len(all)-1])
}

func done(err error) {
	if errors.Is(err, platform.ErrInvalidKey) || errors.Is(err, platform.ErrReadOnlyState) {
		platform.Log("refused")
		return
	}
	check(err)
}

func show(value any, err error) {
	if done(err); err == nil {
		platform.Log(text(value))
	}
}

// native gives arguments as the language has them: {"digits": "1.50"} is text, {"whole": "9"} a *big.Int, a number a float64.
func native(value any) any {
	switch given := value.(type) {
	case json.Number:
		float, _ := given.Float64()
		return float
	case []any:
		for at := range given {
			given[at] = native(given[at])
		}
	case platform.Fields:
		if digits, isThere := given.Get("digits"); isThere {
			return digits
		}
		if whole, isThere := given.Get("whole"); isThere {
			integer, _ := new(big.Int).SetString(whole.(string), 10)
			return integer
		}
		for at := range given {
			given[at].Value = native(given[at].Value)
		}
	}
	return value
}

var ledger = map[string]func(any) error{
	"order": platform.Order, "fill": platform.Fill, "position": platform.Position, "equity": platform.Equity, "rate": platform.Rate,
	"cash_flow": platform.CashFlow, "adjustment": platform.Adjustment, "price": platform.Price, "signal": platform.Signal,
}

// Functions by what they get.
var functions = map[string]func(args []any){
	"metric":              func(args []any) { check(platform.Metric(args[0].(string), args[1])) },
	"log":                 func(args []any) { platform.Log(args[0].(string), args[1:]...) },
	"success":             func(args []any) { check(platform.Success(args[0].(string), args[1:]...)) },
	"error":               func(args []any) { platform.Error(args[0].(string), args[1:]...) },
	"result":              func(args []any) { check(platform.Result(args[0])) },
	"sleep":               func(args []any) { wait(args[0].(float64)) },
	"state.set":           func(args []any) { done(platform.SetState(args[0].(string), args[1])) },
	"state.remove":        func(args []any) { _, err := platform.DeleteState(args[0].(string)); done(err) },
	"state.delete":        func(args []any) { show(platform.DeleteState(args[0].(string))) },
	"state.exists":        func(args []any) { show(platform.HasState(args[0].(string))) },
	"state.get":           func(args []any) { show(platform.GetState(args[0].(string), rest(args))) },
	"state.get_or":        func(args []any) { show(platform.GetState(args[0].(string), rest(args))) },
	"state.list":          func([]any) { show(platform.ListState()) },
	"state.clear":         func([]any) { done(platform.ClearState()) },
	"on_stop":             func(args []any) { check(platform.OnStop(args[0].(string), stopped)) },
	"query.get_params":    func([]any) { show(platform.QueryParams(), nil) },
	"query.get_config":    func([]any) { show(platform.QueryConfig[json.RawMessage]()) },
	"query.is_query_mode": func([]any) { show(platform.IsQueryMode(), nil) },
	"current_timestamp":   func([]any) { show(platform.CurrentTimestamp() >= 1_700_000_000_000, nil) },
	"parse.id":            func([]any) { show(parse()[0], nil) },
	"parse":               func([]any) { show(parse(), nil) },
}

// rest gives the default of a key, null where there is none.
func rest(args []any) json.RawMessage { return json.RawMessage(text(append(args, nil)[1])) }
func wait(ms float64)                 { platform.Sleep(time.Duration(ms) * time.Millisecond) }
func stopped(reason string) error     { platform.Log("stopped: " + reason); return nil }
func parse() []any {
	id, config, err := platform.Parse[json.RawMessage]()
	check(err)
	return []any{id, config}
}

func answerQueries() {
	on := platform.HandleQuery
	on("/echo", func(asked *platform.Request) (any, error) {
		return platform.F("path", asked.Path, "params", asked.Params, "n", asked.Get("n", "10")), nil
	})
	on("/later", func(asked *platform.Request) (any, error) { wait(200); return asked.Get("n", "late"), nil })
	on("/nothing", func(*platform.Request) (any, error) { return nil, nil })
	on("/config", func(*platform.Request) (any, error) { return platform.QueryConfig[json.RawMessage]() })
	on("/big", func(*platform.Request) (any, error) { return strings.Repeat("é", 512*1024), nil })
	on("/broken", func(*platform.Request) (any, error) { panic("no luck") })
	on("/write", func(*platform.Request) (any, error) { return nil, platform.SetState("k", 1) })
	on("/token", func(*platform.Request) (any, error) {
		out, _ := exec.Command("sh", "-c", "echo $QUERY_TOKEN").Output()
		return []string{os.Getenv("QUERY_TOKEN"), strings.TrimSpace(string(out))}, nil
	})
	check(platform.RunQueries())
}

func main() {
	if len(os.Args) > 1 {
		answerQueries()
		return
	}
	var asked struct{ Steps []map[string]json.RawMessage }
	check(json.NewDecoder(os.Stdin).Decode(&asked))
	for _, step := range asked.Steps {
		given, err := platform.Ordered(step["args"])
		check(err)
		fn, args := strings.Trim(string(step["fn"]), `"`), native(given).([]any)
		if row, isLedger := ledger[fn]; isLedger {
			if err = row(args[0]); err != nil {
				platform.Log(err.Error())
			}
		} else if call, isKnown := functions[fn]; isKnown {
			call(args)
		} else {
			fmt.Fprintln(os.Stderr, "unknown function: "+fn)
			os.Exit(64)
		}
	}
}
