import { admin, type AdminOptions } from '../../admin/commands.ts'

/** Runs the operator's command as in a deployment of compose.yaml, where npm is not available. */
export const operator = (
  databaseUrl: string,
  ...argv: string[]
): Promise<{ code: number, text: string }> => operatorWith({ databaseUrl }, ...argv)

/** Runs the operator's command with further options. */
export async function operatorWith(
  options: Partial<AdminOptions> & { databaseUrl: string },
  ...argv: string[]
): Promise<{ code: number, text: string }> {
  let text = ''
  const code = await admin(argv, {
    command: 'infra/docker/admin',
    migrateCommand: 'infra/docker/up',
    ...options,
  }, {
    write: (part) => {
      text += part
    },
  })
  return { code, text }
}

/** Runs the operator's command with its output in a file. Errors go to `text`. */
export async function operatorToFile(
  databaseUrl: string,
  ...argv: string[]
): Promise<{ code: number, file: Blob, text: string }> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let text = ''
  const code = await admin(argv, {
    databaseUrl,
    command: 'infra/docker/admin',
    migrateCommand: 'infra/docker/up',
  }, {
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
