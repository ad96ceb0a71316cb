/** The client as somebody of these tests has it, in Node: with a `fetch` that keeps their cookies and remembers what was asked. */
import { createClient, type Change, type Client } from '../../client/index.ts'
import type { Person } from '../support/person.ts'
import type { Stack } from '../support/stack.ts'

type Asked = { method: string, path: string, status: number }

export type PersonClient = Client & {
  /** Every request so far, and those that are like `part`. */
  asked: Asked[]
  count: (part: string) => number
  changes: Change[]
}

/**
 * @param answer takes the place of the network where it answers something
 * @param keepBack what the answer to a request is kept back for when it has come
 */
export function clientOf(
  stack: Pick<Stack, 'url'>,
  { cookies }: Pick<Person, 'cookies'>,
  answer: (path: string) => Response | undefined = () => undefined,
  keepBack: (path: string) => Promise<void> | undefined = () => undefined,
): PersonClient {
  const asked: Asked[] = []
  const changes: Change[] = []
  const client = createClient({
    baseUrl: stack.url,
    fetch: async (url, init) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const path = url.slice(stack.url.length)
      const kept = keepBack(path)
      const response = answer(path) ?? await fetch(url, { ...init, headers: { ...init.headers as Record<string, string>, cookie } })
      asked.push({ method: init.method ?? 'GET', path, status: response.status })
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
  return { ...client, asked, changes, count: (part) => asked.filter(({ path }) => path.includes(part)).length }
}
