/** Creations of rows: own and forged ones, many at once, as CSV, and imports of known rows. */
import { randomUUID } from 'node:crypto'
import { expectedOf, targetsOf, type Case } from './cases.ts'
import { insert, sameTenant, upsert, type Row, type Verdict } from './model.ts'
import { daysOf, type Payload } from './rows.ts'
import { personal, returning, wholeDay, type TableRequests } from './table-requests.ts'

/** All creations of rows of one table by one actor. */
export function* insertCases(requests: TableRequests): Generator<Case> {
  const {
    world,
    actor,
    table,
    model,
    caller,
    user,
    hasPair,
    hasId,
    targets,
    triggered,
    make,
    fresh,
    refersIn,
    mine,
    myPersonal,
    forgedUser,
    forgedTeam,
  } = requests
  const { find } = world

  const inserts = (
    operation: string,
    news: { payload: Payload, row: Row }[],
    asCsv = false,
  ): Case => {
    const body = asCsv
      ? csv(news.map(({ payload }) => payload))
      : news.length === 1
      ? news[0]?.payload
      : news.map(({ payload }) => payload)
    const expected = expectedOf(insert(caller, news.map(({ row }) => row), find), [201], false)
    return make('insert', operation, '', 'POST', '', expected, body, {
      ...returning,
      ...(asCsv ? { 'content-type': 'text/csv' } : {}),
    })
  }
  yield inserts('insert', [mine()])
  if (actor.depth === 'a little') {
    yield inserts('insert, forged organization', [forgedTeam()])
    return
  }
  yield inserts('insert, personal', [myPersonal()])
  for (const column of daysOf(table)) {
    const { payload, row } = mine()
    yield inserts(`insert, ${column} a whole day`, [{
      payload: { ...payload, [column]: wholeDay },
      row,
    }])
  }
  yield inserts('insert, own team named', [
    fresh({ organization: actor.team }, refersIn({ organization: actor.team })),
  ])
  yield inserts('insert, forged user', [forgedUser()])
  yield inserts('insert, forged organization', [forgedTeam()])
  if (hasPair) {
    yield inserts('insert, forged colleague', [
      fresh(
        { user: actor.user === 'a-editor' ? 'a-owner' : 'a-editor', organization: actor.team },
        refersIn({ organization: actor.team }),
      ),
    ])
    yield inserts('insert, forged pair', [
      fresh({ user: 'b-owner', organization: 'team-b' }, refersIn({ organization: 'team-b' })),
    ])
  }
  if (hasId) yield inserts('insert many', [myPersonal(), myPersonal()])
  // The rows of one body have the same columns.
  yield inserts('insert many, one forged user', [
    fresh({ user, organization: null }, refersIn(personal)),
    forgedUser(),
  ])
  yield inserts('insert many, one forged organization', [myPersonal(), forgedTeam()])
  // In CSV a JSON value can only be a string.
  if (!table.columns.some(({ type, required }) => type === 'jsonb' && required)) {
    yield inserts('insert as CSV', [myPersonal()], true)
    yield inserts('insert as CSV, forged organization', [myPersonal(), forgedTeam()], true)
  }
  for (const { column, table: referenced } of table.references) {
    for (const [target, row] of targetsOf(world, actor, referenced)) {
      const refers = { ...refersIn(personal), [column]: row?.key ?? randomUUID() }
      yield { ...inserts(`insert, ${column} of`, [fresh(personal, refers)]), target }
    }
  }
  for (const [column, { table: referenced, with: values }] of triggered) {
    for (const [target, row] of targetsOf(world, actor, referenced)) {
      const refers = refersIn(personal)
      const key = row?.key ?? randomUUID()
      // the two accounts of a transfer differ
      if (Object.values(refers).includes(key)) continue
      const news = fresh(personal, { ...refers, [column]: key })
      news.payload = { ...news.payload, ...values }
      yield { ...inserts(`insert, ${column} of`, [news]), target }
    }
  }

  for (const columns of table.uniques) {
    const isRecognized = columns.toSorted().join() === model?.recognizedBy
    for (const [target, row] of targets) {
      if (row === undefined || columns.some((column) => row.payload[column] == null)) continue
      // These columns identify the row within its tenant. In every other tenant it is a new row.
      const same = Object.fromEntries(columns.map((column) => [column, row.payload[column]]))
      const within = (payload: Payload): Record<string, string> =>
        Object.fromEntries(
          Object.entries(payload).filter(([column]) =>
            table.references.some((one) => one.column === column)
          ),
        ) as Record<string, string>
      for (const column of columns) {
        const other = mine()
        other.payload = { ...other.payload, ...same, [column]: other.payload[column] }
        other.row = {
          ...other.row,
          refers: {
            ...other.row.refers,
            ...within(same),
            ...within({ [column]: other.payload[column] }),
          },
        }
        yield make(
          'insert',
          `import of another ${column}`,
          target,
          'POST',
          '',
          expectedOf(upsert(caller, [other.row], 'merge', find), [200, 201], false),
          other.payload,
          { prefer: 'resolution=merge-duplicates' },
        )
      }
      const importing = () => {
        const news = mine()
        return {
          payload: { ...news.payload, ...same },
          row: isRecognized && sameTenant(news.row, row) && caller.kind === 'user'
            ? { ...news.row, user: row.user, key: row.key }
            : { ...news.row, refers: { ...news.row.refers, ...within(same) } },
        }
      }
      /**
       * Only the id identifies the other row. So if these columns must be unique, the second row is
       * refused.
       */
      const unlessTaken = (verdict: Verdict): Verdict =>
        isRecognized || 'refused' in verdict || !verdict.added.some((news) => sameTenant(news, row))
          ? verdict
          : { refused: ['taken'] }
      const [plain, merged, ignored] = [importing(), importing(), importing()]
      yield {
        ...make(
          'insert',
          'import',
          target,
          'POST',
          '',
          expectedOf(
            unlessTaken(
              insert(
                caller,
                [plain.row.key === row.key ? { ...plain.row, user } : plain.row],
                find,
              ),
            ),
            [201],
            false,
          ),
          plain.payload,
          returning,
        ),
      }
      yield make(
        'insert',
        'import, merge',
        target,
        'POST',
        '',
        expectedOf(unlessTaken(upsert(caller, [merged.row], 'merge', find)), [200, 201], false),
        merged.payload,
        {
          prefer: 'resolution=merge-duplicates',
        },
      )
      yield make(
        'insert',
        'import, ignore',
        target,
        'POST',
        '',
        expectedOf(unlessTaken(upsert(caller, [ignored.row], 'ignore', find)), [200, 201], false),
        ignored.payload,
        { prefer: 'resolution=ignore-duplicates' },
      )
    }
  }
}

const csv = (rows: Payload[]): string => {
  const columns = Object.keys(rows[0] ?? {})
  const cell = (value: unknown): string =>
    value === null || value === undefined
      ? 'NULL'
      : `"${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')}"`
  return [columns.join(), ...rows.map((row) => columns.map((column) => cell(row[column])).join())]
    .join('\n')
}
