/**
 * What the pages do when their form is sent: they call the routes next to them and say how it went. Nothing happens when a
 * page is opened, because mail scanners and browsers open links unasked.
 */
const parameter = (name) => new URLSearchParams(location.search).get(name) ?? ''

/** Calls a route, by its path from this page's. @throws Error with the sentence for the person */
async function call(path, body) {
  const reply = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error((await reply.json()).message)
}

/** By the form's id: what is done with its fields. Each resolves to what the person is told. */
const works = {
  'reset-password': async ({ password }) => {
    await call('reset-password', { token: parameter('token'), password })
    return 'Your password is changed. You can close this page and sign in.'
  },
  'disown-account': async () => {
    await call('disown-account', { token: parameter('token') })
    return 'The account is deleted. You can close this page.'
  },
  'accept-invitation': async ({ email, password, answer }) => {
    await call('../sign-in/email', { email, password })
    await call(`${answer}-invitation`, { invitationId: parameter('invitationId') })
    return answer === 'accept' ? 'Welcome. You can close this page and open the application.' : 'You declined the invitation.'
  },
}

const form = document.querySelector('form')

/** Does what the form asks for. @returns what the person is told; a form that has done its work is gone */
async function outcomeOf(fields) {
  try {
    const outcome = await works[form.id](fields)
    form.remove()
    return outcome
  } catch (error) {
    return error.message
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void outcomeOf(Object.fromEntries(new FormData(form, event.submitter))).then((outcome) => document.querySelector('[role=status]').replaceChildren(outcome))
})
