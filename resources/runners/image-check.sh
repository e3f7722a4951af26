#!/bin/sh
# Says what an image has of what a runtime needs:  image-check.sh none|python|node|java|dotnet
exec >/run/bot/said 2>/dev/null
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
