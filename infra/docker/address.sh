# shellcheck shell=bash
# Sourced by setup and check.

refuse_address() { # refuse_address <reason> [<corrected address>]
  echo "The address cannot be used: $1${2:+. Write $2}." >&2
  exit 1
}

# address <address as pasted>: sets url, host and port. It understands capitals, a slash at the end, a missing, doubled or mistyped https://
# and :443.
address() {
  local pasted scheme rest authority path LC_ALL=C
  pasted=$(tr -d '[:space:]' <<<"$1")
  scheme=https rest=$pasted
  if [[ $pasted = *://* ]]; then
    scheme=${pasted%%://*} rest=${pasted#*://}
  fi
  while [[ $rest =~ ^([Hh][Tt][Tt][Pp][Ss]?)(:/*|//)([^0-9/].*)$ ]]; do scheme=${BASH_REMATCH[1]} rest=${BASH_REMATCH[3]}; done
  scheme=${scheme,,}
  authority=${rest%%[/?#]*} path=${rest#"${rest%%[/?#]*}"}
  [[ $authority != *@* ]] || refuse_address "it has a user before the @" "https://${authority##*@}"
  [[ $authority != *[\[\]]* && $authority != *:*:* ]] || refuse_address "an IPv6 address is not supported" "a name for it, such as https://money.example.org"
  host=${authority%%:*} port=443
  host=${host,,}
  if [[ $authority = *:* ]]; then
    port=${authority#*:}
    [[ $port =~ ^[0-9]+$ ]] || refuse_address "its port ${port:-behind the colon} is not a number" "https://$host:8443"
    port=$((10#${port:0:9}))
    [ "$port" -ge 1 ] && [ "$port" -le 65535 ] || refuse_address "its port $port is not from 1 to 65535" "https://$host:8443"
  fi
  url=https://$host
  [ "$port" = 443 ] || url+=:$port
  [[ $host != *[!-a-z0-9._]* ]] || refuse_address "$host has characters other than letters, digits, hyphens and dots. Write a name with other letters in its form that begins with xn--"
  [[ $host != *[a-z0-9]. ]] || refuse_address "$host ends with a dot" "https://$(sed "s/\.*$//" <<<"$host")"
  [[ $host =~ ^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$ ]] || refuse_address "${host:-an empty text} is no name of a host" "one such as https://money.example.org"
  if [[ $host =~ (^|\.)[0-9]+$ && ! $host =~ ^((25[0-5]|2[0-4][0-9]|1?[1-9]?[0-9]|10[0-9])(\.|$)){4}$ ]]; then
    refuse_address "$host is no IPv4 address, and a name does not end with a number" "one such as https://192.168.1.10"
  fi
  [ "$scheme" != http ] || refuse_address "browsers keep the session cookie only with https" "https://$host"
  [ "$scheme" = https ] || refuse_address "it begins with $scheme instead of https" "$url"
  [ -z "$path" ] || [ "$path" = / ] || refuse_address "it has the path $path, and the product needs the whole host" "$url"
}

# is_private <host>: true for a name that no public authority certifies. Caddy does not know all of them.
is_private() {
  [ "$1" != localhost ] || return 1
  [[ $1 != *.* || $1 =~ \.(local|lan|home|internal|intranet|corp|private|localdomain|home\.arpa|test|invalid)$ ]]
}
