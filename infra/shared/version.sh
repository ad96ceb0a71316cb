# shellcheck shell=bash
# Sourced by the commands that upgrade. version: prints the name of what is in this checkout, which is its commit.
version() {
  local name
  name=$(git rev-parse --short=12 HEAD 2>/dev/null || echo local)
  # files that are in no commit make a version of their own
  [ "$name" != local ] && [ -z "$(git status --porcelain)" ] || name+=-$(date +%Y%m%d%H%M%S)
  echo "$name"
}
