# {{name}}: what one run of the bot does. It has no SDK: it prints lines and writes files, as any language can.

# The value of NAME in a JSON text, where it is a number, or text without quotes and backslashes.
function value_in(json, name, fallback,    found) {
  if (!match(json, "\"" name "\":(\"[^\"\\\\]*\"|-?[0-9.]+)")) return fallback
  found = substr(json, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
  gsub(/"/, "", found)
  return found
}

# State is one file of JSON for each key; an empty text for a key that is not there.
function recall(key,    line, file) {
  file = ENVIRON["STATE_DIR"] "/" key ".json"
  if ((getline line < file) <= 0) line = ""
  close(file)
  return line
}

# A reader sees the old text or the new one, never a half.
function remember(key, json,    unfinished) {
  unfinished = ENVIRON["STATE_DIR"] "/.tmp-0-1"
  print json > unfinished
  close(unfinished)
  return system("cd \"$STATE_DIR\" && sync .tmp-0-1 && mv -f .tmp-0-1 '" key ".json'") == 0
}

function finish(status, message) {
  printf "{\"status\":\"%s\",\"message\":\"%s\"}\n", status, message > ENVIRON["RESULT_FILE"]
  exit status == "success" ? 0 : 1
}

BEGIN {
  symbol = value_in(ENVIRON["BOT_CONFIG"], "symbol", "AAPL")
  memory = recall("bot_state")
  runs = value_in(memory, "runs", 0) + 1
  srand()
  price = value_in(memory, "price", value_in(ENVIRON["BOT_CONFIG"], "start", 100)) * (0.99 + rand() * 0.02)

  # A line of JSON with _metric is a metric; any other line is a log line, here with its level as the first word.
  printf "{\"_metric\":\"price\",\"symbol\":\"%s\",\"value\":%.2f}\n", symbol, price
  print "INFO run " runs " of " ENVIRON["BOT_ID"]
  if (!remember("bot_state", sprintf("{\"runs\":%d,\"price\":%.2f}", runs, price)))
    finish("error", "the state could not be stored")
  finish("success", "run " runs " is done")
}
