/** Migration 0044: a pending invitation is canceled if its inviter is no longer owner or admin. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseBefore, type FormerDatabase } from '../support/former-database.ts'

let former: FormerDatabase
beforeAll(async () => {
  former = await databaseBefore('0044')
})
afterAll(() => former.close())

test('invitations of the owner and of an admin stay, those of others end, and answered ones are as before', async () => {
  await former.owner.query(`
    insert into auth.users (id, name, email) select n, n, n || '@example.org' from unnest(array['ann', 'ben', 'cem', 'dee']) n;
    insert into auth.organizations (id, name, slug) values ('team', 'Team', 'team'), ('club', 'Club', 'club');
    insert into auth.members (id, organization_id, user_id, role) values
      ('1', 'team', 'ann', 'owner'), ('2', 'team', 'ben', 'admin'), ('3', 'team', 'cem', 'editor'), ('4', 'club', 'cem', 'owner');
    insert into auth.invitations (id, organization_id, email, role, status, inviter_id, expires_at)
      select by || ' ' || status, 'team', by || status || '@example.net', 'editor', status, by, now() + interval '1 day'
      from unnest(array['ann', 'ben', 'cem', 'dee']) by, unnest(array['pending', 'accepted', 'rejected']) status`)
  await former.upgrade()
  const { rows } = await former.owner.query<{ id: string, status: string }>('select id, status from auth.invitations order by 1')
  expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual(Object.fromEntries(
    ['ann', 'ben', 'cem', 'dee'].flatMap((by) => [
      [`${by} accepted`, 'accepted'],
      [`${by} pending`, ['ann', 'ben'].includes(by) ? 'pending' : 'canceled'],
      [`${by} rejected`, 'rejected'],
    ]),
  ))
})
