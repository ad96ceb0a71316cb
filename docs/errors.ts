/** Writes docs/errors.md from the catalogue: `npm run docs`. */
import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { catalogue } from '../auth/errors.ts'

/** The page, as text. */
export const errorsPage = (): string =>
  `# Errors of the auth surface

Every error has this body, and nothing else:

\`\`\`json
{ "error": "INVALID_CREDENTIALS", "message": "The e-mail address or the password is incorrect." }
\`\`\`

Branch on \`error\`; show or log \`message\`, which may say more than the sentence below. 429 and 503 carry
\`Retry-After\` in seconds. Written from \`auth/errors.ts\` by \`npm run docs\`.

| Status | \`error\` | \`message\` |
|---|---|---|
${Object.entries(catalogue).map(([code, [status, message]]) => `| ${status} | \`${code}\` | ${message} |`).join('\n')}

The data surface answers in PostgREST's own shape: \`code\`, \`message\`, \`details\`, \`hint\`.
`

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await writeFile(`${import.meta.dirname}/errors.md`, errorsPage())
}
