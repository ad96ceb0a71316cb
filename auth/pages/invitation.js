/**
 * The script of the page of an invitation. It describes the invitation and lets the invited user
 * accept or decline it.
 */
const { parameter, call, signedIn, say, onSubmit } = globalThis.shared
const part = (id) => document.getElementById(id)
const invitationId = parameter('invitationId')
const token = parameter('token')

/** The sentence for each status that allows no answer. */
const ended = {
  accepted: 'This invitation was accepted.',
  rejected: 'This invitation was declined.',
  canceled: 'This invitation was canceled.',
  expired: 'This invitation has expired. Ask the sender for a new one.',
}
const until = (moment) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' }).format(
    new Date(moment),
  )

/** Shows the forms with these ids and hides the others. */
function offer(...ids) {
  for (const id of ['answer', 'sign-in', 'code', 'sign-out']) part(id).hidden = !ids.includes(id)
}

/** Fetches the invitation and the signed-in user, and shows the forms that apply. */
async function show() {
  const invitation = await call(`get-invitation?invitationId=${encodeURIComponent(invitationId)}`)
  const user = await signedIn('../session-status')
  const {
    organization_name: organization,
    inviter_name: inviter,
    role,
    status,
    email_hint: address,
  } = invitation
  part('invitation').replaceChildren(
    organization === null
      ? `This was an invitation for ${address}.`
      : `${inviter || 'Someone'} invited ${address} to join ${
        organization || 'a team'
      } with the role “${role}”.`,
  )
  part('until').replaceChildren(
    ended[status] ?? `The invitation is valid until ${until(invitation.expires_at)}.`,
  )
  part('who').replaceChildren(user === null ? '' : `You are signed in as ${user.email}.`)
  if (status !== 'pending') return offer()
  if (user === null) {
    part('who').replaceChildren(
      `Sign in as ${address} to respond. If you don’t have an account yet, sign up with that address and verify it.`,
    )
    return offer('sign-in')
  }
  if (!invitation.is_for_caller) {
    part('who').replaceChildren(
      `You are signed in as ${user.email}, and the invitation is for ${address}.`,
    )
    return offer('sign-out')
  }
  return offer('answer')
}

/** Shows the invitation, or an explanation if the link has none. */
const refresh = () =>
  show().catch((error) => {
    offer()
    if (error.status === 404 || error.status === 400) {
      document.querySelector('h1').replaceChildren('Invitation not found')
      part('invitation').replaceChildren(
        'This invitation link isn’t valid. It may be mistyped, or the invitation expired long ago.',
      )
    } else {
      say(error.message)
    }
  })

onSubmit(part('answer'), async ({ answer }) => {
  try {
    const { invitation } = await call(`${answer}-invitation`, {
      invitationId,
      ...(token ? { token } : {}),
    })
    await refresh()
    return invitation.status === 'accepted'
      ? 'Welcome. You are now a member of the team.'
      : 'You declined the invitation.'
  } catch (error) {
    // The invitation may have been answered or canceled in the meantime. The page then shows its
    // new status instead of the error.
    await refresh()
    if (!part('answer').hidden) throw error
    return undefined
  }
})
onSubmit(part('sign-in'), async ({ email, password }) => {
  try {
    await call('../sign-in/email', { email, password })
  } catch (error) {
    if (error.code !== 'SECOND_FACTOR_REQUIRED') throw error
    return offer('code')
  }
  await refresh()
  return undefined
})
onSubmit(part('code'), async ({ code }) => {
  const given = code.replace(/\s/g, '')
  await call(
    /^\d{6}$/.test(given) ? '../two-factor/verify-totp' : '../two-factor/verify-backup-code',
    { code: given },
  )
  await refresh()
})
onSubmit(part('sign-out'), async () => {
  await call('../sign-out', {})
  await refresh()
})
void refresh()
