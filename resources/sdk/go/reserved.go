package platform

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Rows of the ledger. Each function takes the fields of its row as F(...), a struct or a map, and writes a metric of its name.
// It leaves out fields that are nil, keeps fields of your own, and fails for a missing or wrong field, which the error names.
// Amounts are digits as text, integers, *big.Int, json.Number or floats; a float is written by its shortest text.

const (
	mostDigits    = 38
	longestNumber = 128
)

var (
	number       = regexp.MustCompile(`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$`)
	exponent     = regexp.MustCompile(`[eE].*$`)
	currencyName = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,32}$`)
	// Whole numbers beyond this lose digits in programs that read JSON numbers as floats; they go out as text.
	mostExact = big.NewInt(1<<53 - 1)
)

type check func(value any) (any, string)

// whole gives an integer as JSON can hold it, and whether the value is one.
func whole(value any) (any, bool) {
	integer, isBig := value.(*big.Int)
	if !isBig {
		of := reflect.ValueOf(value)
		switch {
		case of.IsValid() && of.CanInt():
			integer = big.NewInt(of.Int())
		case of.IsValid() && of.CanUint():
			integer = new(big.Int).SetUint64(of.Uint())
		default:
			return nil, false
		}
	}
	if integer.CmpAbs(mostExact) > 0 {
		return integer.String(), true
	}
	return json.Number(integer.String()), true
}

func digitsOf(text string) string {
	digits := strings.Map(func(letter rune) rune {
		if letter < '0' || letter > '9' {
			return -1
		}
		return letter
	}, exponent.ReplaceAllString(text, ""))
	return strings.Trim(digits, "0")
}

func decimal(value any) (any, string) {
	wrong := fmt.Sprintf("must be a number, or its digits as text, with at most %d significant digits", mostDigits)
	if given, isWhole := whole(value); isWhole {
		value = given
	}
	text, isText := value.(string)
	if !isText {
		switch reflect.ValueOf(value).Kind() {
		case reflect.Float32, reflect.Float64, reflect.String:
			own, _ := encode(value)
			text = string(own)
		default:
			return nil, wrong
		}
	}
	if len(text) > longestNumber || !number.MatchString(text) || len(digitsOf(text)) > mostDigits {
		return nil, wrong
	}
	return value, ""
}

func positive(value any) (any, string) {
	given, wrong := decimal(value)
	if wrong != "" {
		return nil, wrong
	}
	text := fmt.Sprint(given)
	if strings.HasPrefix(text, "-") || digitsOf(text) == "" {
		return nil, "must be greater than 0"
	}
	return given, ""
}

func isText(value any, longest int) bool {
	text, isString := value.(string)
	if !isString || text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > longest {
		return false
	}
	return strings.IndexFunc(text, unicode.IsControl) < 0
}

func text(longest int) check {
	return func(value any) (any, string) {
		if isText(value, longest) {
			return value, ""
		}
		return nil, fmt.Sprintf("must be text of 1 to %d characters without control characters", longest)
	}
}

func id(value any) (any, string) {
	if given, isWhole := whole(value); isWhole {
		return given, ""
	}
	if float, isFloat := value.(float64); isFloat && float == float64(int64(float)) && float < 1<<53 && float > -(1<<53) {
		return value, ""
	}
	if isText(value, 256) {
		return value, ""
	}
	return nil, "must be text of 1 to 256 characters, or a whole number"
}

func currency(value any) (any, string) {
	if text, isString := value.(string); isString && currencyName.MatchString(text) {
		return value, ""
	}
	return nil, "must have 1 to 32 letters, digits, or signs of . _ : -"
}

func moment(value any) (any, string) {
	if given, isTime := value.(time.Time); isTime {
		return given.UTC().Format("2006-01-02T15:04:05.000Z"), ""
	}
	if given, isWhole := whole(value); isWhole {
		return given, ""
	}
	_, isFloat := value.(float64)
	if isFloat || isText(value, 64) {
		return value, ""
	}
	return nil, "must be ISO text, or seconds or milliseconds since 1970"
}

func flag(value any) (any, string) {
	if _, isFlag := value.(bool); isFlag {
		return value, ""
	}
	return nil, "must be true or false"
}

func oneOf(words ...string) check {
	return func(value any) (any, string) {
		for _, word := range words {
			if value == word {
				return value, ""
			}
		}
		return nil, "must be one of " + strings.Join(words, ", ")
	}
}

type rule struct {
	name     string
	required bool
	check    check
}

func must(name string, check check) rule { return rule{name, true, check} }
func may(name string, check check) rule  { return rule{name, false, check} }

var (
	symbol       = must("symbol", text(128))
	side         = oneOf("BUY", "SELL")
	positionSide = may("position_side", oneOf("net", "long", "short"))
	inCurrency   = may("currency", currency)
	at           = may("time", moment)
)

// Fields of each type: the required ones in front, then the optional ones.
var rows = map[string][]rule{
	"order": {must("client_order_id", id), symbol, must("side", side), must("quantity", positive),
		must("status", oneOf("new", "accepted", "partially_filled", "filled", "cancelled", "rejected", "expired")),
		may("type", text(64)), may("price", decimal), may("decision_id", id), may("leg", id), may("reason", text(1000)),
		inCurrency, at},
	"fill": {must("fill_id", id), symbol, must("side", side), must("quantity", positive), must("price", decimal),
		may("client_order_id", id), may("fee", decimal), may("fee_currency", currency), inCurrency, may("base", currency),
		may("multiplier", positive), may("contract", oneOf("spot", "linear", "inverse", "option")), positionSide,
		may("realised", decimal), may("revises", id), may("cancelled", flag), at},
	"position": {symbol, must("quantity", decimal), may("average_price", decimal), may("price", decimal),
		may("value", decimal), inCurrency, positionSide},
	"equity": {must("value", decimal), inCurrency},
	"cash_flow": {must("flow_id", id), must("amount", decimal), must("currency", currency),
		must("kind", oneOf("deposit", "withdrawal", "funding", "interest", "dividend", "fee", "rebate", "borrow", "tax", "other")),
		may("symbol", text(128)), may("fill_id", id), at},
	"adjustment": {must("adjustment_id", id), symbol,
		must("kind", oneOf("opening", "split", "transfer", "reward", "dust", "conversion", "expiry", "exercise", "assignment")),
		must("quantity", decimal), may("ratio", positive), may("cost", decimal), inCurrency, at},
	"rate":   {must("base", currency), must("quote", currency), must("value", positive), at},
	"price":  {symbol, must("value", decimal), inCurrency},
	"signal": {must("type", side), symbol, may("price", decimal), may("confidence", decimal), may("reason", text(1000)), inCurrency},
}

// required names the fields that a row must have. A fill that is taken back needs no trade.
func required(kind string, fields Fields) []string {
	if cancelled, _ := fields.Get("cancelled"); kind == "fill" && cancelled == true {
		return []string{"fill_id", "symbol", "revises"}
	}
	var names []string
	for _, rule := range rows[kind] {
		if rule.required {
			names = append(names, rule.name)
		}
	}
	if of, _ := fields.Get("kind"); kind == "adjustment" && of == "split" {
		names = append(names, "ratio")
	}
	return names
}

func emit(kind string, data any) error {
	all, isObject, err := fieldsOf(data)
	if err != nil {
		return err
	}
	if !isObject {
		return fmt.Errorf("%s needs an object of fields", kind)
	}
	fields := Fields{}
	for _, field := range all {
		if field.Value != nil {
			fields = append(fields, field)
		}
	}
	for _, name := range required(kind, fields) {
		if _, isThere := fields.Get(name); !isThere {
			return fmt.Errorf("%s needs `%s`", kind, name)
		}
	}
	for _, rule := range append(rows[kind], may("venue", text(64)), may("account", text(64))) {
		for index, field := range fields {
			if field.Name != rule.name {
				continue
			}
			value, wrong := rule.check(field.Value)
			if wrong != "" {
				return fmt.Errorf("`%s` of %s %s", rule.name, kind, wrong)
			}
			fields[index].Value = value
		}
	}
	return Metric(kind, fields)
}

// Order reports an order and its status.
func Order(fields any) error { return emit("order", fields) }

// Fill reports a trade, corrects one (revises), or takes one back (revises, and cancelled: true).
func Fill(fields any) error { return emit("fill", fields) }

// Position reports what is held of a symbol; the quantity is negative for a short position.
func Position(fields any) error { return emit("position", fields) }

// Equity reports what the account is worth.
func Equity(fields any) error { return emit("equity", fields) }

// CashFlow reports money that came (positive) or went (negative).
func CashFlow(fields any) error { return emit("cash_flow", fields) }

// Adjustment reports a change of a holding that is no trade.
func Adjustment(fields any) error { return emit("adjustment", fields) }

// Rate reports that one unit of base is worth so many units of quote.
func Rate(fields any) error { return emit("rate", fields) }

// Price reports the price of a symbol.
func Price(fields any) error { return emit("price", fields) }

// Signal reports a decision to buy or sell, which charts show as a mark.
func Signal(fields any) error { return emit("signal", fields) }
