#!/bin/sh
# Starts one program of a bot inside a container:  container.sh plain|warm PROGRAM [ARGUMENT...]
#
# Its output goes to files that the host reads: a bot neither waits for a reader nor loses a line when there is none.
# BOT_CONFIG and CONFIG come from a file, because others can list the variables of a container.
# A warm query run reads its question from stdin and reports on descriptor 4; any other program has neither.
umask 077
_mode=$1
shift
. /run/bot/config || exit 125
if [ "$_mode" = warm ]; then
  unset _mode
  exec "$@" 4>&1 >>/run/bot/out 2>>/run/bot/err
fi
unset _mode
exec "$@" </dev/null >>/run/bot/out 2>>/run/bot/err
