# Runs in the database's container. For each line of `places` (an offset, another character) it restores the script dump.sql with
# this character at the offset, in a transaction that is rolled back. It prints the lines for which the checksums did not change.
set -euo pipefail
cd /tmp/damage
restore() { # restores the script of standard input, and prints the checksums of a backup
  { echo "begin;"; cat - ask.sql; echo "rollback;"; } | psql -XqAt -v ON_ERROR_STOP=1 -U postgres -d damaged 2>/dev/null
}
unnoticed() { # unnoticed <offset> <character>
  { head -c "$1" dump.sql; printf %s "$2"; tail -c "+$(($1 + 2))" dump.sql; } | restore | cmp -s - whole && echo "$1 $2"
  true
}
export -f restore unnoticed
psql -XqAt -U postgres -c "create database damaged template template0"
restore <dump.sql >whole
xargs -P 2 -L 1 bash -c 'unnoticed "$0" "$1"' <places
psql -XqAt -U postgres -c "drop database damaged with (force)"
