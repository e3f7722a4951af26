# {{name}}: what the bot answers when asked. One start of this program answers one question; it only reads.

function recall(key,    line, file) {
  file = ENVIRON["STATE_DIR"] "/" key ".json"
  if ((getline line < file) <= 0) line = "null"
  close(file)
  return line
}

function answer(json) {
  print json > ENVIRON["QUERY_RESULT_FILE"]
}

BEGIN {
  if (ENVIRON["QUERY_PATH"] == "/status")
    answer("{\"status\":\"ok\",\"data\":{\"name\":\"{{name}}\",\"state\":" recall("bot_state") "}}")
  else if (ENVIRON["QUERY_PATH"] == "/info")
    answer("{\"status\":\"ok\",\"data\":{\"available_queries\":[\"/status\"]}}")
  else
    answer("{\"status\":\"error\",\"error\":\"No handler for this path\",\"available\":[\"/status\"]}")
}
