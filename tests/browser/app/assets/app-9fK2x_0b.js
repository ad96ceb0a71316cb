/**
 * A minimal app that calls both surfaces from its origin. `?api=` names their origin, if it is
 * another one.
 */
const api = new URLSearchParams(location.search).get('api') ?? location.origin

const ask = async (path, { body, ...init } = {}) => {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const reply = await fetch(api + path, {
    ...init,
    headers: { ...json, ...init.headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await reply.text()
  return { status: reply.status, body: text === '' ? null : JSON.parse(text) }
}

globalThis.money = {
  auth: (method, path, body) => ask(`/api/auth${path}`, { method, body, credentials: 'include' }),
  data: (method, path, token, body) =>
    ask(`/data${path}`, {
      method,
      body,
      headers: { authorization: `Bearer ${token}`, prefer: 'return=representation' },
    }),
}
document.querySelector('[role=status]').textContent = `at ${location.pathname}`
