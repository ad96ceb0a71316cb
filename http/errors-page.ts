/** The page of all errors of the auth surface, which `npm run schema` writes. */
import { errorCodes } from '../common/error-codes.ts'

export const errorsFile = () =>
  `# Errors of the auth surface

This page is for front-end developers. Every error of the auth surface has this body, and nothing else:

\`\`\`json
{ "error": "INVALID_CREDENTIALS", "message": "The email address or password is incorrect." }
\`\`\`

Decide by \`error\`. Show or log \`message\`, which may contain more than the sentence below. 429 and 503 have \`Retry-After\` in seconds.

| Status | \`error\` | \`message\` |
|---|---|---|
${
    Object.entries(errorCodes).map(([code, [status, message]]) =>
      `| ${status} | \`${code}\` | ${message} |`
    ).join('\n')
  }

The errors of the [data surface](data.md#errors) have PostgREST's own shape: \`code\`, \`message\`, \`details\`, \`hint\`.

\`npm run schema\` writes this page from \`common/error-codes.ts\`.
`
