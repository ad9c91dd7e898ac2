#!/bin/sh
# `sh scripts/node.sh FILE [ARGUMENT …]` runs a file on the Node of the PATH, or says what to install if there is none.
if ! command -v node >/dev/null; then
  echo 'Node.js is not on the PATH. Install Node 18 or later from https://nodejs.org and try again.' >&2
  exit 127
fi
exec node "$@"
