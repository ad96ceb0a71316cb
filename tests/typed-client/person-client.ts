/** The client for tests in Node, with a `fetch` that keeps cookies and records requests. */
import { createClient, type Change, type Client } from '../../client/index.ts'
import type { Person } from '../support/person.ts'
import type { Stack } from '../support/stack.ts'

type RecordedRequest = { method: string, path: string, status: number }

export type PersonClient = Client & {
  /** All recorded requests, or those that match `part`. */
  requests: RecordedRequest[]
  count: (part: string) => number
  changes: Change[]
}

/**
 * @param answer replaces the network if it returns a response @param keepBack delays the response
 * to a request until the promise resolves
 */
export function clientOf(
  stack: Pick<Stack, 'url'>,
  { cookies }: Pick<Person, 'cookies'>,
  answer: (path: string) => Response | undefined = () => undefined,
  keepBack: (path: string) => Promise<void> | undefined = () => undefined,
): PersonClient {
  const requests: RecordedRequest[] = []
  const changes: Change[] = []
  const client = createClient({
    baseUrl: stack.url,
    fetch: async (url, init) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const path = url.slice(stack.url.length)
      const kept = keepBack(path)
      const response = answer(path) ??
        await fetch(url, {
          ...init,
          headers: { ...init.headers as Record<string, string>, cookie },
        })
      requests.push({ method: init.method ?? 'GET', path, status: response.status })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      await kept
      return response
    },
  })
  client.onChange((change) => changes.push(change))
  return {
    ...client,
    requests,
    changes,
    count: (part) => requests.filter(({ path }) => path.includes(part)).length,
  }
}
