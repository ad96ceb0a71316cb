import { useQuery } from '@tanstack/react-query'
import type { Webhook } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  rotateWebhookSecret,
  testWebhook,
  webhooksQuery,
} from '../../data/me.ts'
import { formatMoment } from '../../locale/days.ts'
import { activity } from '../../messages/activity.ts'
import { common } from '../../messages/common.ts'
import { settings as m } from '../../messages/settings.ts'
import { Confirmation, ownPassword } from '../../parts/credentials.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'
import { Action, ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { ShownOnce } from './shown-once.tsx'

const tableNames = Object.fromEntries(
  Object.entries(activity.tables).map(([table, names]) => [table, m.onlyOf(names.at(-1) ?? table)]),
)

/**
 * Webhooks: creating, which shows the secret once, testing, turning on again, replacing the secret,
 * and deleting.
 */
export function Webhooks() {
  const { user } = useSessionContext()
  const toast = useToast()
  const [deleted, setDeleted] = useState<Webhook | null>(null)
  const [rotated, setRotated] = useState<Webhook | null>(null)
  const webhooks = useQuery(webhooksQuery(user.id))
  const test = useAccountChange(
    testWebhook,
    ({ delivered, failure, status }) =>
      toast(delivered ? m.testAccepted : m.failedWith(m.failures[failure ?? 'status'], status)),
  )
  const enable = useAccountChange(enableWebhook, () => toast(m.webhookEnabled))
  const remove = useAccountChange(deleteWebhook, () => {
    setDeleted(null)
    toast(m.webhookDeleted)
  })
  return (
    <section className='section'>
      <h2>{m.webhooks}</h2>
      <p>{m.webhooksHint}</p>
      <ErrorNote error={webhooks.error ?? test.error ?? enable.error} />
      {webhooks.isPending && <Skeleton />}
      <ul className='list'>
        {webhooks.data?.map((webhook) => (
          <WebhookItem
            key={webhook.id}
            webhook={webhook}
            onEnable={() => enable.mutate(webhook)}
            onTest={() => test.mutate(webhook)}
            onRotate={() => setRotated(webhook)}
            onDelete={() => setDeleted(webhook)}
          />
        ))}
      </ul>
      {user.email_verified ? <NewWebhook /> : <p>{m.verifyToCreate}</p>}
      {rotated !== null && <NewSecret webhook={rotated} onClose={() => setRotated(null)} />}
      {deleted !== null && (
        <Confirm
          title={m.deleteQuestion(deleted.name)}
          action={m.deleteWebhook}
          error={remove.error}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(deleted)}
          onClose={() => setDeleted(null)}
        >
          <p>{m.deleteWebhookHint}</p>
        </Confirm>
      )}
    </section>
  )
}

/** Describes the result of the last delivery. */
const stateOf = (
  {
    disabled_at: disabledAt,
    failing_since: failingSince,
    last_failure: failure,
    last_status: status,
    delivered_at: deliveredAt,
  }: Webhook,
) => {
  const reason = failure === null ? '' : m.failures[failure]
  if (disabledAt !== null)
    return m.offSince(formatMoment(disabledAt), m.failedWith(reason, status))
  if (failingSince !== null)
    return m.failsSince(formatMoment(failingSince), m.failedWith(reason, status))
  return deliveredAt === null ? m.nothingSent : m.lastSent(formatMoment(deliveredAt))
}

type WebhookItemProps = {
  webhook: Webhook
  onEnable: () => void
  onTest: () => void
  onRotate: () => void
  onDelete: () => void
}

function WebhookItem({ webhook, onEnable, onTest, onRotate, onDelete }: WebhookItemProps) {
  const { teams } = useSessionContext()
  const { name, organization_id: organizationId } = webhook
  const owner = organizationId === null
    ? m.personalWithin
    : teams.find((team) => team.id === organizationId)?.name ?? common.unnamedTeam
  return (
    <li>
      <span>
        {name} <code>{new URL(webhook.url).host}</code>
        <small>
          {owner}, {stateOf(webhook)}
        </small>
      </span>
      <span className='buttons'>
        {webhook.disabled_at !== null && <Action name={m.turnOn} of={name} onClick={onEnable} />}
        <Action name={m.test} of={name} onClick={onTest} />
        <Action name={m.newSecret} of={m.forName(name)} onClick={onRotate} />
        <Action name={common.delete} of={name} onClick={onDelete} />
      </span>
    </li>
  )
}

function NewWebhook() {
  const { teams } = useSessionContext()
  const create = useAccountChange(createWebhook)
  const secret = create.data?.secret
  if (secret !== undefined)
    return (
      <ShownOnce
        name='secret'
        label={m.secret}
        text={m.secretOnce}
        value={secret}
        onDone={() => create.reset()}
      />
    )
  return (
    <Fold name={m.newWebhook} of={create}>
      <Form<{ name: string, url: string, organizationId: string, table: string, password: string }>
        defaultValues={{ name: '', url: '', organizationId: '', table: '', password: '' }}
        error={create.error}
        onSubmit={({ name, url, organizationId, table, ...values }) =>
          create.mutate({
            name,
            url,
            organizationId: organizationId || null,
            tables: table === '' ? null : [table],
            ...ownPassword(values),
          })}
      >
        <TextField name='name' label={m.keyName} required maxLength={200} />
        <TextField
          name='url'
          label={m.webhookUrl}
          type='url'
          pattern='https?://.+'
          hint={m.webhookUrlHint}
          required
          maxLength={2_048}
        />
        <Select name='organizationId' label={m.dataOf}>
          <option value=''>{m.personal}</option>
          <Options of={teams.filter(({ role }) => role === 'owner' || role === 'admin')} />
        </Select>
        <Select name='table' label={m.webhookEvents}>
          <option value=''>{m.allChanges}</option>
          <Options of={tableNames} />
        </Select>
        <Confirmation error={create.error} />
        <SubmitButton isBusy={create.isPending}>{m.createWebhook}</SubmitButton>
      </Form>
    </Fold>
  )
}

/** Replaces the secret of a webhook, and shows the new one once. */
function NewSecret({ webhook, onClose }: { webhook: Webhook, onClose: () => void }) {
  const rotate = useAccountChange(rotateWebhookSecret)
  const secret = rotate.data?.secret
  return (
    <Dialog title={m.newSecretOf(webhook.name)} open onClose={onClose}>
      {secret === undefined
        ? (
          <>
            <p>{m.newSecretHint}</p>
            <Form
              defaultValues={{ password: '' }}
              error={rotate.error}
              onSubmit={(values) =>
                rotate.mutate({ webhookId: webhook.id, ...ownPassword(values) })}
            >
              <Confirmation error={rotate.error} />
              <SubmitButton isBusy={rotate.isPending}>{m.createSecret}</SubmitButton>
            </Form>
          </>
        )
        : (
          <ShownOnce
            name='secret'
            label={m.secret}
            text={m.newSecretOnce}
            value={secret}
            onDone={onClose}
          />
        )}
    </Dialog>
  )
}
