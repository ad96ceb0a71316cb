/**
 * The script of the pages about one account. Each form calls the auth surface with its fields and
 * then shows the returned sentence.
 */
const { parameter, call, signedIn, onSubmit } = globalThis.shared

/** The function of each form, by the form's id. */
const works = {
  'reset-password': async ({ password }) => {
    await call('reset-password', { token: parameter('token'), password })
    return 'Your password was changed, and you are signed out everywhere. Sign in with the new one.'
  },
  'disown-account': async () => {
    await call('disown-account', { token: parameter('token') })
    return 'The account was deleted. You can close this page.'
  },
  'confirm-email-change': async () => {
    await call('confirm-email-change', { token: parameter('token') })
    return 'Your email address was changed. You can close this page.'
  },
  'stop-email-change': async () =>
    (await call('stop-email-change', { token: parameter('token') })).message,
  'confirm-delete-account': async () => {
    await call('confirm-delete-account', { token: parameter('token') })
    return 'Your account was deleted. You can close this page.'
  },
  'send-verification-email': async ({ email }) =>
    (await call('send-verification-email', { email })).message,
}
for (const form of document.forms) onSubmit(form, works[form.id])

/** Shows the signed-in user in an element with the attribute data-who. */
async function sayWho(room) {
  const user = await signedIn('session-status')
  room.replaceChildren(
    user === null
      ? 'You are not signed in on this browser.'
      : `You are signed in as ${user.email}.`,
  )
}
for (const room of document.querySelectorAll('[data-who]')) void sayWho(room)
