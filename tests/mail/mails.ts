/** A mail, and the handlers and the observer of a queue in tests. */
import { verificationMessage } from '../../auth/mail/messages.ts'
import type { MailObserver, MailTasks } from '../../auth/mail/queue.ts'

export const mailTo = (to: string) =>
  verificationMessage({
    to,
    name: 'Ann',
    createdAt: new Date('2026-03-12T14:05:00Z'),
    site: 'money.example.org',
    url: `https://money.example.org/verify?token=s3cret-of-${to}`,
    disownUrl: 'https://money.example.org/disown-account?token=x',
  })

const unexpected = () => Promise.reject(new Error('no test queues this'))

export const mailTasks = (sendMail: MailTasks['send_mail']): MailTasks => ({
  send_mail: sendMail,
  request_password_reset: unexpected,
  request_verification: unexpected,
})

export const noObserver: MailObserver = {
  sent: () => undefined,
  failed: () => undefined,
  gaveUp: () => undefined,
}
