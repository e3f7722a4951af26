"""python3 state.py FOLDER ROUNDS: as state.mjs, by the Python kit (PYTHONPATH names it)."""
import json
import os
import sqlite3
import sys
import time

folder, rounds = sys.argv[1], int(sys.argv[2])
os.environ["STATE_DIR"] = os.path.join(folder, "state")
from platform_sdk import state  # noqa: E402: it is told where first

db = sqlite3.connect(os.path.join(folder, "state.db"), isolation_level=None)
db.execute("pragma journal_mode=wal")
db.execute("pragma synchronous=full")
db.execute("create table state(key text primary key, value text)")
value = {"text": "x" * 10_000}


def micros(work):
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1e6


ours, peer = [], []
for number in range(rounds):
    key = f"key {number % 10}"
    ours.append(micros(lambda: state.set(key, value)))
    peer.append(micros(lambda: db.execute("insert or replace into state values(?, ?)", (key, json.dumps(value)))))
print(json.dumps({"ours": ours, "peer": peer}))
