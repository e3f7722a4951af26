#!/bin/sh
# Starts one program of a bot for the process engine and stays until it has ended.
#
#   launch.sh EXIT_FILE OPEN_FILES DATA_KB PROCESSES INPUT PROGRAM [ARGUMENT...]
#
# - Nothing of the bot runs before the line `go` arrives on stdin. A host that dies first closes stdin: exit 125.
# - EXIT_FILE receives the exit code and a newline (128 + n for signal n), in one write, once the program has ended.
# - A limit of `-` is not set.
# - INPUT is `none`, or `question` for a program that waits for its question: then stdin behind the line `go` is its own.
# - The environment is the bot's own, so everything this file needs comes as arguments.

# A caught signal (not an ignored one) is at its default again in the program that is started below.
_stop=''
trap '_stop=143' HUP INT QUIT ALRM TERM USR1 USR2 PIPE
umask 077

read -r _go || exit 125
[ "$_go" = go ] || exit 125

_exit_file=$1 _open_files=$2 _data_kb=$3 _processes=$4 _input=$5
shift 5

# The shell's own remarks about its child ("Killed", "Segmentation fault") must not become lines of the bot.
exec 3>&2 2>/dev/null
if [ -n "$_stop" ]; then
  _code=$_stop
else
  (
    [ "$_input" = question ] || exec </dev/null
    ulimit -c 0
    ulimit -f unlimited
    [ "$_open_files" = - ] || ulimit -n "$_open_files"
    [ "$_data_kb" = - ] || ulimit -d "$_data_kb"
    [ "$_processes" = - ] || ulimit -u "$_processes" || ulimit -p "$_processes"
    unset PWD OLDPWD SHLVL
    exec "$@" 2>&3 3>&-
  )
  _code=$?
fi
# A pipe that the bot has put in its place would keep us waiting for a reader for ever.
if [ -f "$_exit_file" ] || [ ! -e "$_exit_file" ]; then printf '%s\n' "$_code" >"$_exit_file"; fi
exit "$_code"
