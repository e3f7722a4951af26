#!/bin/sh
# Starts one program of a bot inside a container:  container.sh plain|warm PROGRAM [ARGUMENT...]
#
# Its output goes to files that the host reads: a bot neither waits for a reader nor loses a line when there is none.
# BOT_CONFIG, CONFIG, QUERY_TOKEN and the parameters of a query come from a file, because others can list the variables of a container.
# A warm query run reads its question from stdin and reports on descriptor 4; any other program has neither.
# Exit code 125: the files of the run cannot be used by the user inside.
umask 077
[ -w /run/bot/out ] && [ -w /run/bot/err ] || exit 125
exec 2>>/run/bot/err
_mode=$1
shift
if ! [ -r /run/bot/config ]; then
  echo "The user inside the container cannot read the files of this run, so the bot was not started." >&2
  exit 125
fi
. /run/bot/config
if [ "$_mode" = warm ]; then
  unset _mode
  exec "$@" 4>&1 >>/run/bot/out
fi
unset _mode
exec "$@" </dev/null >>/run/bot/out
