/** Teams in the reference app, for the owner, a viewer, an invited and a removed user. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, subscribed, team } from '../support/person.ts'
import { type AppStory, barriers, press, sees, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const context = (page: Page, name: RegExp) =>
  page.getByRole('button', { name: new RegExp(`Workspace:\\s*${name.source}`) }).waitFor()

describe('creating a team', () => {
  test('a user with a plan becomes its owner, and is in its context', async () => {
    const page = await story.open(await subscribed(story.stack, 'Ann'), '/team')
    await page.getByLabel('Team name', { exact: true }).fill('Our flat')
    expect(await barriers(page)).toEqual([])
    await press(page, 'Create team')
    await context(page, /Our flat\s*owner/)
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
    await expect.poll(() => page.getByLabel('Team name', { exact: true }).inputValue()).toBe('')
    await page.context().close()
  })

  test('a user without a plan reads which one is necessary', async () => {
    const page = await story.open(await signedIn(story.stack, 'Ben'), '/team')
    await sees(page, 'To create a team, you need an active Teams plan')
    expect(await page.getByLabel('Team name', { exact: true }).count()).toBe(0)
    await page.context().close()
  })

  test('a user with a lower plan reads the refusal of the service', async () => {
    const ben = await signedIn(story.stack, 'Ben')
    await ben.subscribe('personal')
    const page = await story.open(ben, '/team')
    await page.getByLabel('Team name', { exact: true }).fill('Our flat')
    await press(page, 'Create team')
    await sees(page, 'To create a team, you need an active Teams plan')
    await page.context().close()
  })
})

test('the owner invites, cancels an invitation, changes a role and removes a member', async () => {
  const { owner, editor } = await team(story.stack, ['editor'])
  const page = await story.open(owner, '/team')
  await page.getByLabel('Email address').fill('new@example.org')
  await press(page, 'Invite')
  await sees(page, 'Invitation sent to new@example.org.')
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Email address').fill(editor.email)
  await press(page, 'Invite')
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Email address').getAttribute('aria-invalid')).toBe('true')
  await press(page, 'Cancel the invitation to new@example.org')
  await sees(page, 'Invitation canceled.')
  await page.getByLabel('editor’s role').selectOption('viewer')
  await sees(page, 'Role changed to viewer.')
  expect((await editor.get('/organization/list')).body).toMatchObject([{ role: 'viewer' }])
  await press(page, 'Remove editor')
  await page.getByRole('dialog', { name: 'Remove editor?' }).getByRole('button', { name: 'Remove' })
    .click()
  await page.getByRole('dialog', { name: 'Remove editor?' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove editor' }).waitFor({ state: 'detached' })
  expect((await editor.get('/organization/list')).body).toEqual([])
  await page.context().close()
})

test('the owner transfers the team, and can then leave it', async () => {
  const { owner, admin } = await team(story.stack, ['admin'])
  const page = await story.open(owner, '/team')
  await press(page, 'Transfer team')
  await page.getByRole('dialog', { name: 'Make admin the owner?' }).getByRole('button', {
    name: 'Transfer',
  }).click()
  await context(page, /The Team\s*admin/)
  expect((await admin.get('/organization/list')).body).toMatchObject([{ role: 'owner' }])
  await press(page, 'Leave team')
  await page.getByRole('dialog', { name: 'Leave The Team?' }).getByRole('button', { name: 'Leave' })
    .click()
  await context(page, /Personal/)
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Teams')
  expect((await owner.get('/organization/list')).body).toEqual([])
  await page.context().close()
})

test('the owner deletes the team by entering its name, and is in the personal context', async () => {
  const { owner } = await team(story.stack, [])
  const page = await story.open(owner, '/team')
  await press(page, 'Delete team')
  expect(await page.getByRole('button', { name: 'Delete permanently' }).isDisabled()).toBe(true)
  await page.getByLabel('Type the team name to confirm').fill('The Team')
  await press(page, 'Delete permanently')
  await context(page, /Personal/)
  expect((await owner.get('/organization/list')).body).toEqual([])
  await page.context().close()
})

test('the viewer sees the members of the team without buttons for changes, and leaves', async () => {
  const { viewer } = await team(story.stack, ['viewer', 'admin'])
  const page = await story.open(viewer, '/team', { viewport: { width: 320, height: 640 } })
  await sees(page, 'Owner')
  expect(await page.getByRole('button', { name: /^(Remove|Invite|Rename|Delete)/ }).count()).toBe(0)
  expect(await page.getByRole('combobox').count()).toBe(0)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  expect(await barriers(page)).toEqual([])
  await press(page, 'Leave team')
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await context(page, /Personal/)
  await page.context().close()
})

test('a member who is removed while the app is open is in the personal context at the next action', async () => {
  const { id, owner, viewer } = await team(story.stack, ['viewer'])
  const page = await story.open(viewer, '/team')
  await context(page, /The Team\s*viewer/)
  await owner.post('/organization/remove-member', { organizationId: id, userId: await viewer.id() })
  await page.getByRole('navigation').getByRole('link', { name: 'Accounts' }).click()
  await context(page, /Personal/)
  await sees(page, 'No accounts yet.')
  await page.context().close()
})

/** Signs up from the page of an invitation. */
async function signUpFromLink(page: Page, email: string) {
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Your name').fill('Nina')
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign up')
}

describe('an invited user', () => {
  const invited = async () => {
    const { id, owner } = await team(story.stack, [])
    const ann = await signedIn(story.stack, 'Ann')
    await owner.post('/organization/invite-member', {
      organizationId: id,
      email: ann.email,
      role: 'viewer',
    })
    const link = linkIn(
      await story.stack.mail.waitFor(ann.email, ({ text }) => text.includes('invitation')),
    )
    return { ann, owner, path: link.replace(/^https?:\/\/[^/]+/, '') }
  }

  test('an invited user reads the invitation, signs in, accepts it, and is in the team', async () => {
    const { ann, path } = await invited()
    const page = await story.open(null, path)
    await sees(page, 'Owner invited a…@example.org to join The Team with the role “viewer”.')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Email address').fill(ann.email)
    await page.getByLabel('Password').fill(password)
    await press(page, 'Sign in')
    await press(page, 'Accept')
    await sees(page, 'Welcome!')
    await press(page, 'Open team')
    await context(page, /The Team\s*viewer/)
    await page.context().close()
  })

  test('an invited user without an account signs up from the link, and accepts: the link has verified the address', async () => {
    const { id, owner } = await team(story.stack, [])
    const email = 'newcomer@example.org'
    await owner.post('/organization/invite-member', { organizationId: id, email, role: 'editor' })
    const page = await story.open(null, linkIn(await story.stack.mail.waitFor(email)))
    await signUpFromLink(page, email)
    await sees(page, `You are signed in as ${email}.`)
    expect(await barriers(page)).toEqual([])
    await press(page, 'Accept')
    await press(page, 'Open team')
    await context(page, /The Team\s*editor/)
    await page.getByRole('navigation').waitFor()
    await page.goto(`${story.stack.publicUrl}/settings`)
    await sees(page, `${email}, verified`)
    await page.context().close()
  })

  test('an invited user with a link without its token, as in an older mail, verifies the address first, and is back at the invitation', async () => {
    const { id, owner } = await team(story.stack, [])
    const email = 'late-newcomer@example.org'
    await owner.post('/organization/invite-member', { organizationId: id, email, role: 'editor' })
    const link = new URL(linkIn(await story.stack.mail.waitFor(email)))
    link.searchParams.delete('token')
    const page = await story.open(null, link.href)
    await signUpFromLink(page, email)
    await sees(page, `Verify ${email} before you respond.`)
    expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    await page.goto(
      linkIn(await story.stack.mail.waitFor(email, ({ text }) => text.includes('/verify-email'))),
    )
    await page.getByRole('heading', { name: 'Your email address is verified' }).waitFor()
    await sees(page, 'Owner invited l…@example.org to join The Team with the role “editor”.')
    expect(await barriers(page)).toEqual([])
    await press(page, 'Accept')
    await press(page, 'Open team')
    await context(page, /The Team\s*editor/)
    await page.context().close()
  })

  test('an invited user declines', async () => {
    const { ann, path } = await invited()
    const page = await story.open(ann, path)
    await press(page, 'Decline')
    await sees(page, 'It was declined.')
    await page.context().close()
  })

  test('an invited user sees that another user is signed in in the browser, and signs that user out', async () => {
    const { owner, path } = await invited()
    const page = await story.open(owner, path)
    await sees(
      page,
      `You are signed in as ${owner.email}, but the invitation is for a…@example.org.`,
    )
    await press(page, 'Sign out')
    await sees(page, 'Sign in as a…@example.org to respond')
    await page.context().close()
  })

  test('an invited user finds the invitation among her teams without the mail', async () => {
    const { ann } = await invited()
    const page = await story.open(ann, '/team')
    await press(page, 'Accept the invitation to The Team')
    await press(page, 'Open')
    await context(page, /The Team\s*viewer/)
    await page.context().close()
  })

  test('an invited user reads that a link belongs to no invitation', async () => {
    const page = await story.open(person(story.stack), '/accept-invitation?invitationId=none')
    await sees(page, 'This invitation link isn’t valid.')
    await page.context().close()
  })
})
