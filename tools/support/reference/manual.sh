#!/bin/sh
# manual.sh HELP2MAN TOOL FILE: writes the manual page of a tool from its --help-all.
set -eu
purpose=$("$2" --help-all | sed '/^$/,$d' | tr '\n' ' ' | sed 's/[.:] .*//')
"$1" --no-info --help-option=--help-all --name="$purpose" "$2" >"$3.partial"
# Each example on a line of its own.
awk '/^\.S[HS]/ { examples = /EXAMPLES/ } { print } examples && !/^\./ { print ".br" }' "$3.partial" >"$3"
rm "$3.partial"
