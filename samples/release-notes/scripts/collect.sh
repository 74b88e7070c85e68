#!/bin/sh
# Prints the commits since the last tag, grouped by the type of their first line.
set -eu
last=$(git describe --tags --abbrev=0 2>/dev/null || git rev-list --max-parents=0 HEAD | tail -n 1)
for type in feat fix perf refactor docs; do
  commits=$(git log --format='- %s (%h)' --extended-regexp --grep="^$type(\(.*\))?!?:" "$last"..HEAD)
  [ -z "$commits" ] || printf '## %s\n%s\n\n' "$type" "$commits"
done
