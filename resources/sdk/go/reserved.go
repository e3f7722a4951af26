package platform

import (
	"encoding/json"
	"fmt"
	"math"
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
	noDigit      = regexp.MustCompile(`[^0-9]`)
	exponent     = regexp.MustCompile(`[eE].*$`)
	currencyName = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,32}$`)
	// Whole numbers beyond this lose digits in programs that read JSON numbers as floats; they go out as text.
	mostExact = big.NewInt(1<<53 - 1)
)

// check says what is wrong with a value that is normal; "" where nothing is.
type check func(value any) string

// exact is text that stands for a number or a time.
type exact string

// normal gives integers of all types, and times, as JSON can hold them.
func normal(value any) any {
	integer, isBig := value.(*big.Int)
	of := reflect.ValueOf(value)
	switch moment, isTime := value.(time.Time); {
	case isTime:
		return exact(moment.UTC().Format("2006-01-02T15:04:05.000Z"))
	case isBig:
	case of.CanInt():
		integer = big.NewInt(of.Int())
	case of.CanUint():
		integer = new(big.Int).SetUint64(of.Uint())
	default:
		return value
	}
	if integer.CmpAbs(mostExact) > 0 {
		return exact(integer.String())
	}
	return json.Number(integer.String())
}

func unless(holds bool, wrong string, parts ...any) string {
	if holds {
		return ""
	}
	return fmt.Sprintf(wrong, parts...)
}

func digitsOf(text string) string {
	return strings.Trim(noDigit.ReplaceAllString(exponent.ReplaceAllString(text, ""), ""), "0")
}

func decimal(value any) string {
	kind, text := reflect.ValueOf(value).Kind(), ""
	isOne := kind == reflect.String || kind == reflect.Float32 || kind == reflect.Float64
	if isOne {
		text = fmt.Sprint(value)
	}
	isOne = isOne && len(text) <= longestNumber && number.MatchString(text) && len(digitsOf(text)) <= mostDigits
	return unless(isOne, "must be a number, or its digits as text, with at most %d significant digits", mostDigits)
}

func positive(value any) string {
	if wrong := decimal(value); wrong != "" {
		return wrong
	}
	text := fmt.Sprint(value)
	return unless(!strings.HasPrefix(text, "-") && digitsOf(text) != "", "must be greater than 0")
}

func isText(value any, longest int) bool {
	text, isString := value.(string)
	return isString && text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= longest &&
		strings.IndexFunc(text, unicode.IsControl) < 0
}

func text(longest int) check {
	return func(value any) string {
		return unless(isText(value, longest), "must be text of 1 to %d characters without control characters", longest)
	}
}

func id(value any) string {
	float, isFloat := value.(float64)
	isWhole := isFloat && float == math.Trunc(float) && math.Abs(float) < 1<<53
	switch given := value.(type) {
	case json.Number:
		isWhole = !strings.ContainsAny(given.String(), ".eE")
	case exact:
		isWhole = !strings.Contains(string(given), "T")
	}
	return unless(isWhole || isText(value, 256), "must be text of 1 to 256 characters, or a whole number")
}

func currency(value any) string {
	text, _ := value.(string)
	return unless(currencyName.MatchString(text), "must have 1 to 32 letters, digits, or signs of . _ : -")
}

func moment(value any) string {
	_, isString := value.(string)
	kind := reflect.ValueOf(value).Kind()
	isNumber := !isString && (kind == reflect.String || kind == reflect.Float64)
	return unless(isNumber || isText(value, 64), "must be ISO text, or seconds or milliseconds since 1970")
}

func flag(value any) string {
	_, isFlag := value.(bool)
	return unless(isFlag, "must be true or false")
}

func oneOf(words ...string) check {
	return func(value any) string {
		text, _ := value.(string)
		return unless(isOneOf(text, words), "must be one of %s", strings.Join(words, ", "))
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

func emit(kind string, data any) (err error) {
	defer catch(&err)
	fields, isObject := fieldsOf(data)
	insist(isObject, "%s needs an object of fields", kind)
	// Those without a value are left out; the caller's own stay as they are.
	kept := Fields{}
	for _, field := range fields {
		if field.Value != nil {
			kept = append(kept, field)
		}
	}
	cancelled, _ := kept.Get("cancelled")
	of, _ := kept.Get("kind")
	for _, rule := range rows[kind] {
		isNeeded := rule.required || of == "split" && rule.name == "ratio"
		if kind == "fill" && cancelled == true {
			// One that is taken back needs no trade.
			isNeeded = isOneOf(rule.name, []string{"fill_id", "symbol", "revises"})
		}
		_, isThere := kept.Get(rule.name)
		insist(isThere || !isNeeded, "%s needs `%s`", kind, rule.name)
	}
	for _, rule := range append(rows[kind], may("venue", text(64)), may("account", text(64))) {
		for index, field := range kept {
			if field.Name != rule.name {
				continue
			}
			kept[index].Value = normal(field.Value)
			wrong := rule.check(kept[index].Value)
			insist(wrong == "", "`%s` of %s %s", rule.name, kind, wrong)
		}
	}
	return Metric(kind, kept)
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
