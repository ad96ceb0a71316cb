/**
 * Deletion of users and organizations: "User deletion removes personal rows and keeps team rows",
 * "Deletes all of the organization's …". No data request does this, so the database owner does it
 * in a transaction that is rolled back.
 */
import { consequences, id } from './model.ts'
import type { Keeper } from './state.ts'
import type { World } from './world.ts'

export async function lifecycleProblems(
  world: World,
  keeper: Keeper,
): Promise<{ name: string, problems: string[] }[]> {
  const before = await keeper.state()
  const failures: { name: string, problems: string[] }[] = []
  const check = async (
    name: string,
    statement: string,
    gone: Set<string>,
    changed: Set<string>,
  ): Promise<void> => {
    await world.owner.query('begin')
    try {
      await world.owner.query(statement)
      const after = await keeper.state()
      const problems = world.rows.map(id).flatMap((row) => {
        const now = after.get(row)
        if ((now === undefined) !== gone.has(row))
          return [`${row} is ${now === undefined ? 'gone' : 'still there'}`]
        return now !== undefined && (now.hash !== before.get(row)?.hash) !== changed.has(row)
          ? [`${row} has ${changed.has(row) ? 'not ' : ''}changed`]
          : []
      })
      if (problems.length > 0) failures.push({ name, problems })
    } catch (error) {
      failures.push({ name, problems: [String(error)] })
    } finally {
      await world.owner.query('rollback')
    }
  }
  const owned = (user: string) => world.rows.filter((row) => row.user === user)
  for (const user of ['solo', 'a-editor', 'a-owner', 'removed']) {
    const personal = owned(user).filter(({ organization }) => organization === null)
    const isTeamOwner = owned(user).filter((row) =>
      row.organization !== null && 'user_id' in row.payload
    )
    await check(
      `deleting the user ${user}`,
      `delete from auth.users where id = '${user}'`,
      new Set(personal.map(id)),
      new Set(isTeamOwner.map(id)),
    )
  }
  const team = world.rows.filter(({ organization }) => organization === 'team-a')
  await check(
    'deleting an organization',
    `delete from auth.organizations where id = 'team-a'`,
    new Set(consequences(team, world.rows).gone),
    new Set(),
  )
  return failures
}
