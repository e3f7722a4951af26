#!/bin/sh
# Says what an image has of what a runtime needs:  image-check.sh none|python|node|java|dotnet
# Exit code 41: the user inside cannot use the files of a run.
exec 2>/dev/null
(read -r _line </run/bot/config && : >/run/bot/said) || exit 41
exec >/run/bot/said
echo shell
case $1 in
python) found=$(python3 -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])') ;;
node) found=$(node -p process.versions.node) ;;
java) java -version && found=java ;;
dotnet) found=$(dotnet --list-runtimes | while read -r name version rest; do
  [ "$name" = Microsoft.NETCore.App ] && printf '%s ' "$version"
done) ;;
esac
echo "found $found"
