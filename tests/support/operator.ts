import { admin } from '../../admin/commands.ts'

/** The operator's command, called as in a stack of compose.yaml, where there is no npm to run anything with. */
export async function operator(databaseUrl: string, ...argv: string[]): Promise<{ code: number, text: string }> {
  let text = ''
  const code = await admin(argv, { databaseUrl, command: 'infra/docker/admin', migrateCommand: 'docker compose up -d --wait' }, {
    write: (part: string) => {
      text += part
    },
  })
  return { code, text }
}
