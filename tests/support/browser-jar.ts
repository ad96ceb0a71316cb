/**
 * The cookies of a browser for one host (RFC 6265): it keeps those of other domains and partitions
 * beside each other, and sends the oldest first.
 */

type Cookie = { name: string, value: string, key: string }

/** Creates the jar of a browser at `host`, with requests to a service that listens elsewhere. */
export function browserAt(host: string) {
  let cookies: Cookie[] = []
  const store = (line: string) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    const domain = /; domain=\.?([^;]+)/i.exec(line)?.[1]?.toLowerCase()
    if (domain !== undefined && host !== domain && !host.endsWith(`.${domain}`)) return
    const key = [name, domain ?? 'host only', /; partitioned/i.test(line)].join(' ')
    const kept = cookies.find((cookie) => cookie.key === key)
    if (/; max-age=0/i.test(line)) cookies = cookies.filter((cookie) => cookie !== kept)
    else if (kept === undefined) cookies.push({ name, value, key })
    else kept.value = value
  }
  const header = () => cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return {
    /** Stores a line of `Set-Cookie`. */
    store,
    /** Returns the cookies of a name, the oldest first. */
    cookiesOf: (name: string) =>
      cookies.filter((cookie) => cookie.name === name).map(({ value }) => value),
    cookie: header,
    /** Sends a request to the auth surface at `url`. */
    send: async (url: string, method: string, path: string, body?: unknown) => {
      const response = await fetch(`${url}/api/auth${path}`, {
        method,
        headers: {
          cookie: header(),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      for (const line of response.headers.getSetCookie()) store(line)
      return { status: response.status, body: await response.json() as any }
    },
  }
}
