# {{name}}: what the bot does each round. It has no SDK: it prints lines and writes files, as any language can.

# The value of a setting that is a number, or text without quotes and backslashes. For anything else use a JSON tool.
setting() { # NAME DEFAULT
  local pattern="\"$1\":(\"[^\"\\\\]*\"|-?[0-9.]+)" value=$2
  [[ $BOT_CONFIG =~ $pattern ]] && value=${BASH_REMATCH[1]}
  value=${value#\"}
  printf '%s' "${value%\"}"
}

# State is one file of JSON for each key. A reader sees the old text or the new one, never a half.
remember() { # KEY JSON
  local unfinished="$STATE_DIR/.tmp-$$-1"
  printf '%s\n' "$2" >"$unfinished" && sync "$unfinished" && mv -f "$unfinished" "$STATE_DIR/$1.json"
}

rounds_so_far() {
  local file="$STATE_DIR/bot_state.json"
  [[ -f $file && $(<"$file") =~ \"rounds\":([0-9]+) ]] && printf '%s' "${BASH_REMATCH[1]}" || printf 0
}

# Waits in a way that SIGTERM interrupts at once.
pause() { # MILLISECONDS
  sleep "$(($1 / 1000)).$(printf '%03d' "$(($1 % 1000))")" &
  wait $!
}

trap 'echo "$BOT_ID stops"; exit 0' TERM INT

symbol=$(setting symbol AAPL)
interval=$(setting interval_ms 5000)
rounds=$(rounds_so_far)
echo "$BOT_ID ({{name}}) starts with $symbol"

while true; do
  rounds=$((rounds + 1))
  # A line of JSON with _metric is a metric; any other line is a log line, here with its level as the first word.
  printf '{"_metric":"round","symbol":"%s","rounds":%d}\n' "$symbol" "$rounds"
  remember bot_state "{\"rounds\":$rounds}" || echo "ERROR the state could not be stored"
  pause "$interval"
done
