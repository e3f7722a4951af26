#!/bin/sh
# Builds the programs of the sandbox for one architecture: build.sh x64|arm64 FOLDER
# writes FOLDER/confine and FOLDER/shared-memory.so. The same compiler and C library give the same bytes.
#   x64:   Debian packages gcc and musl-dev.
#   arm64: gcc-aarch64-linux-gnu and musl-dev:arm64 (or MUSL=FOLDER, where that package was unpacked).
set -eu
arch=$1 output=$2
case $arch in
  x64) triple=x86_64-linux ;;
  arm64) triple=aarch64-linux ;;
  *) echo 'build.sh: x64 or arm64' >&2; exit 64 ;;
esac
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
compiler=$triple-gnu-gcc
headers=${MUSL:-}/usr/include/$triple-musl
library=${MUSL:-}/usr/lib/$triple-musl
[ -r "$library/libc.a" ] || { echo "build.sh: the C library musl for $arch is not installed" >&2; exit 69; }
command -v "$compiler" >/dev/null || { echo "build.sh: the compiler $compiler is not installed" >&2; exit 69; }
mkdir -p "$output"
output=$(CDPATH= cd -- "$output" && pwd)
helper=$("$compiler" -print-libgcc-file-name)
common='-std=gnu11 -Os -g0 -Wall -Wextra -Werror -Wno-missing-field-initializers -fno-asynchronous-unwind-tables
  -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,relro -Wl,-z,now -nostdlib -s'

cd "$here/src"
# Absolute paths do not reach the output: nothing here uses __FILE__.
# shellcheck disable=SC2086
"$compiler" $common -nostdinc -isystem "$headers" -isystem "$(dirname "$helper")/include" \
  -fstack-protector-strong -fno-pie -no-pie -static -o "$output/confine" "$library/crt1.o" "$library/crti.o" *.c \
  -Wl,--start-group "$library/libc.a" "$helper" -Wl,--end-group "$library/crtn.o"
cd "$here/library"
# shellcheck disable=SC2086
"$compiler" $common -fno-builtin -fno-stack-protector -fPIC -shared -o "$output/shared-memory.so" shared-memory.c
