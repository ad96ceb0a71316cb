import { admin } from '../../admin/commands.ts'

/** The operator's command, called as in a stack of compose.yaml, where there is no npm to run anything with. */
export async function operator(databaseUrl: string, ...argv: string[]): Promise<{ code: number, text: string }> {
  let text = ''
  const code = await admin(argv, { databaseUrl, command: 'infra/docker/admin', migrateCommand: 'docker compose up -d --wait' }, {
    write: (part) => {
      text += part
    },
  })
  return { code, text }
}

/** The same with the output in a file and what is wrong on the terminal. */
export async function operatorToFile(databaseUrl: string, ...argv: string[]): Promise<{ code: number, file: Blob, text: string }> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let text = ''
  const code = await admin(argv, { databaseUrl, command: 'infra/docker/admin', migrateCommand: 'docker compose up -d --wait' }, {
    write: (part, written) => {
      parts.push(Buffer.from(part))
      written?.()
    },
  }, {
    write: (part) => {
      text += part
    },
  })
  return { code, file: new Blob(parts), text }
}
