/**
 * All weakenings of the row rules. Each changes one object of the catalogue and has the statement
 * that reverts it. The objects are policies and their operands, row security, grants, triggers,
 * constraints on owners and references, and the table of rights. tests/data and tests/attacks test
 * the checks inside functions.
 */
import type pg from 'pg'

export type Weakening = {
  name: string
  /** The table and command of the cases that are likely to notice. */
  table?: string
  command?: string
  apply: string
  revert: string
}

/** The positions of an expression's operands, at any depth of AND, OR and WHERE. */
export function operands(expression: string): [number, number][] {
  const found: [number, number][] = []
  const visit = (from: number, to: number): void => {
    let [start, end] = [from, to]
    while (/\s/.test(expression[start] ?? 'x')) start += 1
    while (/\s/.test(expression[end - 1] ?? 'x')) end -= 1
    // A check that raises its own error has its condition between WHEN and THEN.
    const check = /^CASE\s+WHEN ([\s\S]*) THEN true\s+ELSE private\.deny\([^()]*\)\s+END$/.exec(
      expression.slice(start, end),
    )
    if (check?.[1] !== undefined) {
      const at = expression.indexOf(check[1], start)
      visit(at, at + check[1].length)
      return
    }
    const parts: [number, number][] = []
    let depth = 0
    let begin = start
    let isWrapped = expression[start] === '('
    for (let at = start; at < end; at += 1) {
      if (expression[at] === '(') depth += 1
      if (expression[at] === ')') depth -= 1
      if (depth === 0 && at < end - 1) isWrapped = false
      const word = depth === 0 ? /^\s(?:AND|OR)\s/.exec(expression.slice(at, at + 5)) : null
      if (word === null) continue
      parts.push([begin, at])
      begin = at + word[0].length
    }
    if (parts.length > 0) { for (const [a, b] of [...parts, [begin, end] as const]) visit(a, b) }
    else if (isWrapped && !/^\(\s*SELECT\b/.test(expression.slice(start, end)))
      visit(start + 1, end - 1)
    else {
      found.push([start, end])
      const inner = /^EXISTS \([\s\S]*?WHERE /.exec(expression.slice(start, end))
      if (inner !== null) visit(start + inner[0].length, end - 1)
    }
  }
  visit(0, expression.length)
  return found
}

/**
 * Returns the expression without one operand, for each operand. An operand that AND repeats counts
 * once: a policy names the organization again for the planner, and the loss of only one has no
 * effect.
 */
function withoutOne(expression: string): { piece: string, from: number, text: string }[] {
  const spans = operands(expression)
  const isAgain = ([from]: [number, number], [earlier, end]: [number, number], piece: string) =>
    earlier < from && expression.slice(earlier, end) === piece &&
    !expression.slice(end, from).includes(' OR ')
  return spans.flatMap((span) => {
    const piece = expression.slice(...span)
    if (spans.some((other) => isAgain(span, other, piece))) return []
    const twins = [
      ...spans.filter((other) =>
        expression.slice(...other) === piece && isAgain(other, span, piece)
      ),
      span,
    ].toSorted(([a], [b]) => b - a)
    return [{
      piece,
      from: span[0],
      text: twins.reduce(
        (text, [from, to]) => `${text.slice(0, from)}true${text.slice(to)}`,
        expression,
      ),
    }]
  })
}

const short = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 110)

async function policies(db: pg.Client): Promise<Weakening[]> {
  const { rows } = await db.query<
    {
      table: string
      name: string
      command: string
      using: string | null
      check: string | null
      roles: string
    }
  >(`
    select tablename as table, policyname as name, lower(cmd) as command, qual as using, with_check as check, array_to_string(roles, ', ') as roles
    from pg_policies where schemaname = 'api' order by tablename, policyname`)
  return rows.flatMap(({ table, name, command, using, check, roles }) => {
    const on = `policy ${name} on api.${table}`
    const alter = (part: 'using' | 'with check', text: string): string =>
      `alter ${on} ${part} (${text})`
    const pieces = ([['using', using], ['with check', check]] as const)
      .flatMap(([part, text]): Weakening[] =>
        text === null ? [] : [
          {
            name: `${on}: ${part} true`,
            table,
            command,
            apply: alter(part, 'true'),
            revert: alter(part, text),
          },
          ...withoutOne(text).map(({ piece, from, text: weakened }): Weakening => ({
            name: `${on}: ${part} without ${short(piece)} at ${from}`,
            table,
            command,
            apply: alter(part, weakened),
            revert: alter(part, text),
          })),
        ]
      )
    const create = `create ${on} for ${command} to ${roles}${
      using === null ? '' : ` using (${using})`
    }${check === null ? '' : ` with check (${check})`}`
    return [
      { name: `${on}: dropped`, table, command, apply: `drop ${on}`, revert: create },
      ...pieces,
    ]
  })
}

async function tablesAndGrants(db: pg.Client): Promise<Weakening[]> {
  const { rows } = await db.query<
    { table: string, role: string, privilege: string, granted: boolean }
  >(`
    select c.relname as table, r as role, p as privilege, has_table_privilege(r, c.oid, p) as granted
    from pg_class c, unnest(array['anon', 'authenticated']) r, unnest(array['select', 'insert', 'update', 'delete']) p
    where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') order by 1, 2, 3`)
  const tables = [...new Set(rows.map(({ table }) => table))]
  const { rows: callable } = await db.query<{ name: string, role: string, granted: boolean }>(`
    select p.oid::regprocedure::text as name, r as role, has_function_privilege(r, p.oid, 'execute') as granted
    from pg_proc p, unnest(array['anon', 'authenticated']) r where p.pronamespace = 'api'::regnamespace and p.prokind in ('f', 'p') order by 1, 2`)
  const change = (
    privilege: string,
    role: string,
    granted: boolean,
  ): Pick<Weakening, 'apply' | 'revert'> => {
    const [grant, revoke] = [`grant ${privilege} to ${role}`, `revoke ${privilege} from ${role}`]
    return granted ? { apply: revoke, revert: grant } : { apply: grant, revert: revoke }
  }
  return [
    ...tables.map((table): Weakening => ({
      name: `row security of api.${table}: disabled`,
      table,
      apply: `alter table api.${table} disable row level security`,
      revert: `alter table api.${table} enable row level security`,
    })),
    ...rows.map(({ table, role, privilege, granted }): Weakening => ({
      name: `${privilege} on api.${table}: ${granted ? 'revoked from' : 'granted to'} ${role}`,
      table,
      command: privilege,
      ...change(`${privilege} on api.${table}`, role, granted),
    })),
    ...callable.map(({ name, role, granted }): Weakening => ({
      name: `execute on ${name}: ${granted ? 'revoked from' : 'granted to'} ${role}`,
      table: `${name.replace(/^api\./, '').replace(/\(.*/, '')}()`,
      ...change(`execute on function ${name}`, role, granted),
    })),
  ]
}

/**
 * Triggers on the exposed tables and on the tables that a user's deletion changes. Constraints and
 * unique indexes on owners and references.
 */
async function triggersAndConstraints(db: pg.Client): Promise<Weakening[]> {
  const { rows: triggers } = await db.query<{ name: string, on: string, table: string }>(`
    select t.tgname as name, t.tgrelid::regclass::text as on, c.relname as table
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and (c.relnamespace = 'api'::regnamespace or p.prosrc like '%api.%') order by 2, 1`)
  const { rows: constraints } = await db.query<
    { name: string, table: string, near: string, definition: string }
  >(`
    select k.conname as name, c.relname as table, coalesce(f.relname, c.relname) as near, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    left join pg_class f on f.oid = k.confrelid and f.relnamespace = 'api'::regnamespace
    where c.relnamespace = 'api'::regnamespace and (k.contype = 'f' or k.contype in ('c', 'u', 'x') and pg_get_constraintdef(k.oid) ~ 'user_id|organization_id') order by 2, 1`)
  const { rows: indexes } = await db.query<{ name: string, table: string, definition: string }>(`
    select i.indexrelid::regclass::text as name, c.relname as table, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'api'::regnamespace and i.indisunique and pg_get_indexdef(i.indexrelid) ~ 'user_id|organization_id|tenant'
      and not exists (select from pg_constraint where conindid = i.indexrelid) order by 1`)
  return [
    ...triggers.map(({ name, on, table }): Weakening => ({
      name: `trigger ${name} on ${on}: disabled`,
      table,
      apply: `alter table ${on} disable trigger "${name}"`,
      revert: `alter table ${on} enable trigger "${name}"`,
    })),
    ...constraints.map(({ name, table, near, definition }): Weakening => ({
      // The loss of a foreign key is noticed at the deletion of the referenced row.
      name: `constraint ${name} on api.${table}: dropped`,
      table: near,
      apply: `alter table api.${table} drop constraint ${name}`,
      revert: `alter table api.${table} add constraint ${name} ${definition}`,
    })),
    ...indexes.map(({ name, table, definition }): Weakening => ({
      name: `unique index ${name}: dropped`,
      table,
      apply: `drop index ${name}`,
      revert: definition,
    })),
  ]
}

/** Grants each right that is missing in the table of roles. */
async function rights(db: pg.Client): Promise<Weakening[]> {
  const { rows } = await db.query<{ role: string, resource: string, action: string }>(`
    select r.role, s.resource, a.action
    from (select distinct role from private.role_permissions) r, (select distinct resource from private.role_permissions) s, (select distinct action from private.role_permissions) a
    where (a.action <> 'list_private' or s.resource = 'dashboards') and (a.action <> 'list_own' or s.resource = 'activity')
      and not exists (select from private.role_permissions p where (p.role, p.resource, p.action) = (r.role, s.resource, a.action)) order by 2, 1, 3`)
  return rows.map(({ role, resource, action }) => ({
    name: `right of the ${role} to ${action} ${resource}: given`,
    table: resource,
    command: action.startsWith('list_') ? 'select' : action === 'create' ? 'insert' : action,
    apply:
      `insert into private.role_permissions (role, resource, action) values ('${role}', '${resource}', '${action}')`,
    revert:
      `delete from private.role_permissions where (role, resource, action) = ('${role}', '${resource}', '${action}')`,
  }))
}

export async function weakenings(db: pg.Client): Promise<Weakening[]> {
  return [
    await policies(db),
    await tablesAndGrants(db),
    await triggersAndConstraints(db),
    await rights(db),
  ].flat()
}
