/**
 * Functions that all pages share: they call routes, find the signed-in user, and show results.
 * Opening a page changes nothing, because mail scanners and browsers open links on their own.
 */
'use strict'
{
  const parameter = (name) => new URLSearchParams(location.search).get(name) ?? ''

  /**
   * Calls a route: POST with a body, GET without one.
   * @param path relative to the path of this page
   * @returns the response body @throws Error with the message for the user, and the `status` and
   * `code` of the response
   */
  async function call(path, body) {
    const changes = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const reply = await fetch(path, body === undefined ? {} : changes)
    const answer = await reply.json()
    if (!reply.ok)
      throw Object.assign(new Error(answer.message), { status: reply.status, code: answer.error })
    return answer
  }

  /**
   * Returns the user who is signed in in this browser, or null. @param path that of
   * /session-status, relative to this page
   */
  const signedIn = async (path) => (await call(path)).user

  const say = (sentence) => document.querySelector('[role=status]').replaceChildren(sentence)

  /**
   * Runs `work` when the form is submitted. If `work` returns a sentence, shows it and removes the
   * form.
   */
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
