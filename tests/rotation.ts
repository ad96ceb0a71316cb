/**
 * The evidence that rotates. A run with `PART=3/5` leaves out the files of the other four parts, and a run without PART tests everything. `.ci/run`
 * derives PART from the number of commits, so five commits in a row test everything: docs/decisions/running/rotate-the-evidence.md.
 */

/** The files of each part. A file of no part runs with every commit. */
export const parts: string[][] = [
  [
    'tests/attacks/takeover.test.ts',
    'tests/auth/files-s3.test.ts',
    'tests/auth/metrics.test.ts',
    'tests/auth/native-apps.test.ts',
    'tests/auth/oidc.test.ts',
    'tests/browser/app-accessibility.browser.ts',
    'tests/browser/app-balances.browser.ts',
    'tests/browser/app-events.browser.ts',
    'tests/browser/app-firefox.browser.ts',
    'tests/browser/app-oidc.browser.ts',
    'tests/browser/app-recurring.browser.ts',
    'tests/browser/app-teams.browser.ts',
    'tests/browser/app-versions.browser.ts',
    'tests/browser/live.browser.ts',
    'tests/containers/addresses.containers.ts',
    'tests/containers/laptop.containers.ts',
    'tests/containers/operations.containers.ts',
    'tests/containers/soak.containers.ts',
    'tests/data/pages.test.ts',
    'tests/data/shares.test.ts',
    'tests/edge/comparison.test.ts',
    'tests/edge/cost.test.ts',
    'tests/edge/process.test.ts',
    'tests/isolation/live.test.ts',
    'tests/kubernetes/pods.kubernetes.ts',
    'tests/restore/damages.test.ts',
    'tests/unit/docker-setup.test.ts',
    'tests/unit/passwords.test.ts',
  ],
  [
    'tests/attacks/accounts.test.ts',
    'tests/attacks/input.test.ts',
    'tests/attacks/timing.test.ts',
    'tests/attacks/tokens.test.ts',
    'tests/auth/hashing-queue.test.ts',
    'tests/auth/operations.test.ts',
    'tests/auth/whole-requests.test.ts',
    'tests/browser/app-accounts.browser.ts',
    'tests/browser/app-budgets.browser.ts',
    'tests/browser/app-example-books.browser.ts',
    'tests/browser/app-guests.browser.ts',
    'tests/browser/app-passkeys.browser.ts',
    'tests/browser/app-roles.browser.ts',
    'tests/browser/app-together.browser.ts',
    'tests/browser/attachments.browser.ts',
    'tests/browser/your-own-app.browser.ts',
    'tests/containers/backups.containers.ts',
    'tests/containers/seen.containers.ts',
    'tests/containers/upgrade-under-load.containers.ts',
    'tests/data/plans-of-others.test.ts',
    'tests/data/plans.test.ts',
    'tests/isolation/freed-ids.test.ts',
    'tests/kubernetes/chart-additions.kubernetes.ts',
    'tests/kubernetes/chart-values.kubernetes.ts',
    'tests/kubernetes/chart.kubernetes.ts',
    'tests/local/another-deployment.test.ts',
    'tests/local/permissions.test.ts',
    'tests/money/reconciliation.test.ts',
    'tests/stateful/files.test.ts',
    'tests/typed-client/mcp.test.ts',
  ],
  [
    'tests/attacks/guards.test.ts',
    'tests/auth/admin-export.test.ts',
    'tests/auth/docs.test.ts',
    'tests/auth/new-secret.test.ts',
    'tests/browser/app-activity.browser.ts',
    'tests/browser/app-categories.browser.ts',
    'tests/browser/app-exchange-rates.browser.ts',
    'tests/browser/app-language.browser.ts',
    'tests/browser/app-people.browser.ts',
    'tests/browser/app-row-menu.browser.ts',
    'tests/browser/app-transactions-filing.browser.ts',
    'tests/browser/bank-files.browser.ts',
    'tests/containers/crashes.containers.ts',
    'tests/containers/runbook.containers.ts',
    'tests/containers/scaling.containers.ts',
    'tests/edge/linear.test.ts',
    'tests/isolation/files.test.ts',
    'tests/isolation/routes.test.ts',
    'tests/isolation/values.test.ts',
    'tests/local/operator-database.test.ts',
    'tests/money/bank-files.test.ts',
    'tests/money/forecast.test.ts',
    'tests/stateful/stateful.test.ts',
    'tests/typed-client/export-files.test.ts',
    'tests/typed-client/live.test.ts',
    'tests/typed-client/older-exports.test.ts',
  ],
  [
    'tests/auth/oidc-another-provider.test.ts',
    'tests/auth/shutdown.test.ts',
    'tests/auth/webhooks.test.ts',
    'tests/browser/app-api-keys.browser.ts',
    'tests/browser/app-dashboards.browser.ts',
    'tests/browser/app-export.browser.ts',
    'tests/browser/app-live.browser.ts',
    'tests/browser/app-pictures.browser.ts',
    'tests/browser/app-rules.browser.ts',
    'tests/browser/app-transactions-together.browser.ts',
    'tests/browser/docs.browser.ts',
    'tests/containers/bare-metal.containers.ts',
    'tests/containers/damaged-backups.containers.ts',
    'tests/containers/machine.containers.ts',
    'tests/containers/standby.containers.ts',
    'tests/data/activity-of-many.test.ts',
    'tests/data/plans-of-lists.test.ts',
    'tests/data/turns.test.ts',
    'tests/edge/files.test.ts',
    'tests/edge/slow.test.ts',
    'tests/local/external.test.ts',
    'tests/local/postgres-log.test.ts',
    'tests/mail/queue.test.ts',
    'tests/stateful/live-crash.test.ts',
    'tests/stateful/live.test.ts',
    'tests/typed-client/package.test.ts',
    'tests/unit/aws-scripts.test.ts',
  ],
  [
    'tests/attacks/metrics.test.ts',
    'tests/attacks/ways-in.test.ts',
    'tests/auth/calendars.test.ts',
    'tests/auth/changes.test.ts',
    'tests/auth/keys.test.ts',
    'tests/auth/stop.test.ts',
    'tests/browser/app-at-once.browser.ts',
    'tests/browser/app-drafts.browser.ts',
    'tests/browser/app-feeds.browser.ts',
    'tests/browser/app-offline.browser.ts',
    'tests/browser/app-receipts.browser.ts',
    'tests/browser/app-statement.browser.ts',
    'tests/browser/app-two-factor.browser.ts',
    'tests/browser/layouts.browser.ts',
    'tests/containers/edge.containers.ts',
    'tests/containers/images.containers.ts',
    'tests/containers/upgrades.containers.ts',
    'tests/data/import-sizes.test.ts',
    'tests/data/inputs.test.ts',
    'tests/edge/raw.test.ts',
    'tests/local/check.test.ts',
    'tests/local/dev.test.ts',
    'tests/local/recovery.test.ts',
    'tests/local/refusals.test.ts',
    'tests/local/secret-files.test.ts',
    'tests/money/reports.test.ts',
    'tests/money/rules.test.ts',
    'tests/typed-client/export.test.ts',
  ],
]

/**
 * The suites that run with each commit that changes a room, in addition to its part; tests/changed.ts runs them too. Both are beginnings of paths. A
 * changed file of tests runs as well.
 */
export const rooms: [room: string, suites: string[]][] = [
  ['common/', ['tests/edge/']],
  ['compose.yaml', ['tests/containers/upgrades']],
  ['package-lock.json', ['tests/auth/', 'tests/attacks/']],
  ['postgrest.conf', ['tests/edge/']],
  ['db/', ['tests/isolation/', 'tests/data/', 'tests/database/', 'tests/money/']],
  ['auth/', ['tests/auth/', 'tests/attacks/']],
  ['auth/mail/', ['tests/mail/']],
  ['edge/', ['tests/edge/']],
  ['client/', ['tests/typed-client/', 'tests/browser/client', 'tests/browser/bank-files']],
  ['description/', ['tests/description/']],
  ['admin/', ['tests/auth/admin-export']],
  ['examples/app/', ['tests/browser/app-']],
  ['infra/local/', ['tests/local/']],
  ['infra/docker/', ['tests/unit/docker-setup']],
  ['infra/docker/backups/', ['tests/containers/backups']],
  ['infra/kubernetes/', ['tests/kubernetes/']],
  ['infra/release/', ['tests/containers/images']],
]

/** Returns the number of a part, or undefined for everything. @throws if the text has another form than `3/5` */
function readPart(text: string): number | undefined {
  if (text === '') return undefined
  const [, number = '', of = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  if (Number(of) !== parts.length || parts[Number(number) - 1] === undefined)
    throw new Error(`PART is ${text}, and must be 1/${parts.length} to ${parts.length}/${parts.length}.`)
  return Number(number)
}

/**
 * Returns what a run leaves out, and how it selects cases.
 * @param partText such as `3/5`; an empty text means everything
 * @param changed the paths that the commit changes
 */
export function rotation(partText: string, changed: string[]) {
  const part = readPart(partText)
  const suites = rooms.filter(([room]) => changed.some((path) => path.startsWith(room))).flatMap(([, those]) => those)
  const isWhole = (file: string): boolean => part === undefined || changed.includes(file) || suites.some((suite) => file.startsWith(suite))
  return {
    /** The files that this run leaves out. */
    leftOut: parts.flatMap((files, at) => at + 1 === part ? [] : files.filter((file) => !isWhole(file))),
    /** Selects this run's items of a group of similar cases in a test file: at least one. All parts together have all items. */
    selected: <Item>(file: string, group: Item[]): Item[] => {
      if (part === undefined || isWhole(file)) return group
      const span = Math.min(parts.length, group.length)
      return group.filter((_, at) => at % span === (part - 1) % span)
    },
  }
}

export const { leftOut, selected } = rotation(process.env['PART'] ?? '', (process.env['CHANGED'] ?? '').split('\n'))
