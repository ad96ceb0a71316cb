/** The settings of mail, for the auth service and the operator's test. */
import { z } from 'zod'
import { isDecodable, urlOf } from './formats.ts'
import { setting } from './setting.ts'

const encodedLogin =
  'special characters of the user and the password percent-encoded (# as %23, / as %2F, % as %25)'

/** The sender, and the provider that sends. */
export const mail = {
  MAIL_FROM: setting(
    z.string().regex(/^[^\r\n]*@[^\r\n]*$/, 'must be an address such as Money <money@example.org>')
      .optional(),
    {
      description: 'the sender of every mail',
      unset: '`no-reply@` the host; required in production',
    },
  ),
  RESEND_API_KEY: setting(z.string().regex(/^[\x21-\x7e]+$/, 'must be one word').optional(), {
    description: 'sends mail with [Resend](https://resend.com)',
    secret: true,
  }),
  RESEND_BASE_URL: setting(urlOf(/^https?:$/, 'https://api.resend.com').optional(), {
    description: "another address of Resend's interface",
    services: ['auth'],
  }),
  SMTP_URL: setting(
    // Node reads the part of a password after an unencoded /, ? or # as a path
    urlOf(/^smtps?:$/, `smtp://user:password@host:587, with ${encodedLogin}`)
      .refine(
        (value) => !/^[^/]*\/\/[^/?#]*[/?#].*@/.test(value) && isDecodable(value),
        `must have ${encodedLogin}`,
      ).optional(),
    {
      description:
        'sends mail by SMTP, if there is no Resend key; with neither, mail is a log line',
      secret: true,
    },
  ),
}
