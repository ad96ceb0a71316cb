/**
 * What the pages share: they call the routes next to them, say who is signed in, and say how it went. Opening a page changes
 * nothing, because mail scanners and browsers open links unasked.
 */
'use strict'
{
  const parameter = (name) => new URLSearchParams(location.search).get(name) ?? ''

  /**
   * Calls a route, by its path from this page's; with a body it changes something.
   * @returns what it answers @throws Error with the sentence for the person, and the answer's `status` and `code`
   */
  async function call(path, body) {
    const changes = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const reply = await fetch(path, body === undefined ? {} : changes)
    const answer = await reply.json()
    if (!reply.ok) throw Object.assign(new Error(answer.message), { status: reply.status, code: answer.error })
    return answer
  }

  /** Who is signed in in this browser. @returns undefined when nobody is */
  const signedIn = (path) =>
    call(path).then(({ user }) => user, (error) => {
      if (error.status !== 401) throw error
    })

  const say = (sentence) => document.querySelector('[role=status]').replaceChildren(sentence)

  /** Does this when the form is sent, and says the sentence it comes back with. A form whose work is done is gone. */
  function onSubmit(form, work) {
    const attempt = async (fields) => {
      const buttons = [...form.querySelectorAll('button')]
      buttons.forEach((button) => button.disabled = true)
      try {
        say('')
        const outcome = await work(fields)
        if (outcome === undefined) return
        form.remove()
        say(outcome)
      } catch (error) {
        say(error.message)
      } finally {
        buttons.forEach((button) => button.disabled = false)
      }
    }
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void attempt(Object.fromEntries(new FormData(form, event.submitter)))
    })
  }

  globalThis.shared = { parameter, call, signedIn, say, onSubmit }
}
