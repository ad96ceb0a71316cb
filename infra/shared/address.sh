# shellcheck shell=bash
# Sourced by the commands that prepare a deployment: address <what the operator said> <the address so far>
# Sets url, host and port, for whoever sources it; the first is https://localhost where nobody said anything.
address() {
  url=${1:-${2:-https://localhost}}
  if ! [[ $url =~ ^https://([a-z0-9.-]+)(:([1-9][0-9]{0,4}))?$ ]] || [ "${BASH_REMATCH[3]:-}" = 443 ]; then
    echo "Say the address people will type, such as https://money.example.org or https://localhost:8443." >&2
    exit 1
  fi
  host=${BASH_REMATCH[1]} port=${BASH_REMATCH[3]:-443}
}
# a new secret of 32 random bytes, in letters and digits that need no quotes anywhere
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
