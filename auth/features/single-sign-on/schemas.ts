/** Schemas of single sign-on. */
import { z } from 'zod'
import { rowId, time } from '../fields.ts'

const ofProvider = z.string().optional().meta({ description: 'Of the provider.' })

export const input = {
  start: z.object({
    redirectTo: z.string().max(2_048).optional().meta({
      description: 'Where the browser goes on to: a page of a trusted origin; at that of `APP_URL`, below its path.',
    }),
  }),
  callback: z.object({ state: ofProvider, code: ofProvider, iss: ofProvider, error: ofProvider }),
}

export const output = {
  methods: z.object({
    password: z.boolean().meta({ description: 'true' }),
    sign_up: z.enum(['open', 'invitation', 'closed']).meta({ description: 'Who may make an account, as `SIGN_UP` says.' }),
    oidc: z.object({
      name: z.string().meta({ description: 'What people call the provider.', examples: ['Authelia'] }),
      sign_up: z.boolean().meta({ description: 'Whether who has no account is given one by it.' }),
    }).nullable().meta({ description: 'The provider of single sign-on; null without one.' }),
  }).meta({ id: 'SignInMethods', description: 'How one signs in here.' }),
  started: z.object({ url: z.string().meta({ description: 'At the provider.', examples: ['https://login.example.org/authorize'] }) }),
  providers: z.array(
    z.object({
      id: rowId,
      issuer: z.string().meta({ description: 'The address by which the provider says who it is.', examples: ['https://login.example.org'] }),
      subject: z.string().meta({ description: 'Who the person is there.', examples: ['9f1c2d'] }),
      created_at: time,
    }).meta({ id: 'LinkedProvider', description: 'Somebody at a provider of single sign-on, who signs in to the account.' }),
  ),
}
