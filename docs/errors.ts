/** docs/errors.md, made of the catalogue and written by `npm run schema`. No I/O. */
import { catalogue } from '../auth/errors.ts'

/** The page, as text. */
export const errorsPage = (): string =>
  `# Errors of the auth surface

Every error has this body, and nothing else:

\`\`\`json
{ "error": "INVALID_CREDENTIALS", "message": "The e-mail address or the password is incorrect." }
\`\`\`

Branch on \`error\`; show or log \`message\`, which may say more than the sentence below. 429 and 503 carry
\`Retry-After\` in seconds. Written from \`auth/errors.ts\` by \`npm run schema\`.

| Status | \`error\` | \`message\` |
|---|---|---|
${Object.entries(catalogue).map(([code, [status, message]]) => `| ${status} | \`${code}\` | ${message} |`).join('\n')}

The data surface answers in PostgREST's own shape: \`code\`, \`message\`, \`details\`, \`hint\`.
`
