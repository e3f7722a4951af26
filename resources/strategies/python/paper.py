"""A paper account: cash and holdings in exact decimals, and the rows by which the ledger books them.

Every trade has the id of the decision behind it, and the account remembers those ids: a decision that is made again, after a
restart or by a repeated run, trades nothing. Rows wait in the account until they are printed. `send` stores the account first,
so a program that is killed meanwhile prints the same rows at its next look, and the ledger knows them by their ids.
"""

import os
from datetime import datetime, timezone
from decimal import ROUND_DOWN, Decimal

from platform_sdk import cash_flow, equity, error, fill, order, position

from decimals import exact, text

CURRENCY = "USD"
UNIT = Decimal("0.000001")
CENT = Decimal("0.01")
FEE_UNIT = Decimal("0.00000001")
KEPT_DECISIONS = 1000
EMIT = {"cash_flow": cash_flow, "order": order, "fill": fill}


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class PaperAccount:
    def __init__(self, saved, name, start_cash, fee_percent=0):
        """Goes on with an account as `saved()` gave it, or opens one with `start_cash` when `saved` is None."""
        if os.environ.get("PLATFORM_MODE") == "live":
            error("This bot trades on paper only, and was started to trade live. Nothing was traded")
        self.name = name
        self.fee_percent = exact(fee_percent)
        if saved is None:
            at = now()
            deposit = {"flow_id": f"start-{at}", "amount": str(start_cash), "currency": CURRENCY, "kind": "deposit"}
            saved = {"cash": str(start_cash), "held": {}, "decisions": [], "rows": []}
            saved["rows"].append(["cash_flow", {**deposit, "account": name, "time": at}])
        self.cash = Decimal(saved["cash"])
        self.held = {symbol: Decimal(quantity) for symbol, quantity in saved["held"].items()}
        self.decisions = list(saved["decisions"])
        self.rows = list(saved["rows"])

    def saved(self):
        """The account as JSON can hold it."""
        held = {symbol: text(quantity) for symbol, quantity in self.held.items()}
        decisions = self.decisions[-KEPT_DECISIONS:]
        return {"cash": text(self.cash), "held": held, "decisions": decisions, "rows": self.rows}

    def quantity(self, symbol):
        return self.held.get(symbol, Decimal(0))

    def fee(self, amount):
        return (amount * self.fee_percent / 100).quantize(FEE_UNIT)

    def affordable(self, money, price):
        """The largest quantity that `money`, at most all cash, pays for, with the fee."""
        limit = min(money, self.cash)
        if limit <= 0 or price <= 0:
            return Decimal(0)
        quantity = (limit / (price * (1 + self.fee_percent / 100))).quantize(UNIT, ROUND_DOWN)
        while quantity > 0 and quantity * price + self.fee(quantity * price) > limit:
            quantity -= UNIT
        return quantity

    def trade(self, decision_id, side, symbol, quantity, price, reason):
        """Fills an order at `price`. Returns False, and trades nothing, for a decision that was carried out before.

        Raises ValueError when cash or units do not suffice.
        """
        if decision_id in self.decisions:
            return False
        amount = quantity * price
        fee = self.fee(amount)
        if side == "BUY" and self.cash < amount + fee:
            raise ValueError(f"{text(self.cash)} {CURRENCY} do not pay for {text(quantity)} {symbol}")
        if side == "SELL" and self.quantity(symbol) < quantity:
            raise ValueError(f"{text(self.quantity(symbol))} {symbol} are held, {text(quantity)} were to be sold")
        self.cash -= amount + fee if side == "BUY" else fee - amount
        self.held[symbol] = self.quantity(symbol) + (quantity if side == "BUY" else -quantity)
        self.decisions.append(decision_id)

        trade = {"client_order_id": decision_id, "symbol": symbol, "side": side, "quantity": text(quantity)}
        shared = {"currency": CURRENCY, "account": self.name, "time": now()}
        placed = {**trade, "decision_id": decision_id, "type": "market", "reason": reason, **shared}
        filled = {**trade, "fill_id": f"{decision_id}-1", "price": text(price), **shared}
        if fee:
            filled |= {"fee": text(fee), "fee_currency": CURRENCY}
        self.rows.append(["order", {**placed, "status": "new"}])
        self.rows.append(["fill", filled])
        self.rows.append(["order", {**placed, "status": "filled", "price": text(price)}])
        return True

    def send(self, save):
        """Stores the account by `save(saved)`, prints the rows that wait, and stores that they were printed."""
        save(self.saved())
        if self.rows:
            for type, fields in self.rows:
                EMIT[type](**fields)
            self.rows = []
            save(self.saved())

    def value(self, prices):
        """What cash and units are worth."""
        return self.cash + sum(quantity * prices[symbol] for symbol, quantity in self.held.items() if quantity)

    def report(self, prices):
        """Prints positions and equity at `prices`, as numbers, which charts can show."""
        for symbol, price in prices.items():
            quantity = self.quantity(symbol)
            position(
                symbol=symbol,
                quantity=float(quantity),
                price=float(price),
                value=float((quantity * price).quantize(CENT)),
                currency=CURRENCY,
                account=self.name,
            )
        equity(value=float(self.value(prices).quantize(CENT)), currency=CURRENCY, account=self.name)
