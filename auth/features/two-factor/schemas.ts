/** Schemas of the second factor. */
import { z } from 'zod'

const trustDevice = z.boolean().default(false).meta({ description: 'Whether this browser signs in without a code for 30 days.' })

export const input = {
  totp: z.object({ code: z.string().regex(/^[0-9]{6}$/, 'must be six digits'), trustDevice }),
  backupCode: z.object({ code: z.string().min(1).max(64), trustDevice }),
}

const backupCodes = z.array(z.string()).meta({ description: 'Each works once. They are not shown again.', examples: [['mz2k-q4tn-x7ab-c5dw']] })

export const output = {
  status: z.object({ enabled: z.boolean(), backup_codes_left: z.int().nonnegative() }),
  begun: z.object({
    totp_uri: z.string().meta({ description: 'For a QR code; `secret` in its query is what a person types instead.' }),
    backup_codes: backupCodes,
  }),
  backupCodes: z.object({ backup_codes: backupCodes }),
}
