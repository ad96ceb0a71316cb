# In the database's container: restores the script dump.sql with one character replaced, for each line of `places` (its
# offset, the other character), and prints the lines after which everything was as in the whole dump. None is committed.
set -euo pipefail
cd /tmp/damage
restore() { # restore: of a script that comes in; answers what a backup would note
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
