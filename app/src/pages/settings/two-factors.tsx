/** Two-factor sign-in: setup, backup codes and removal. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { encode } from 'uqr'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import {
  beginTwoFactor,
  confirmTwoFactor,
  disableTwoFactor,
  newBackupCodes,
  passkeysQuery,
  twoFactorQuery,
} from '../../data/me.ts'
import { common } from '../../messages/common.ts'
import { settings as m } from '../../messages/settings.ts'
import { CodeField, Confirmation, ownPassword } from '../../parts/credentials.tsx'
import { ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton } from '../../parts/form.tsx'
import { save } from '../../parts/save.ts'
import { useToast } from '../../parts/toast.tsx'

export function TwoFactors() {
  const { user } = useSessionContext()
  const status = useQuery(twoFactorQuery(user.id))
  const [codes, setCodes] = useState<string[] | null>(null)
  const enabled = status.data?.enabled
  return (
    <section className='section'>
      <h3>{m.twoFactor}</h3>
      <ErrorNote error={status.error} />
      {status.isPending && <Skeleton />}
      {codes !== null && <BackupCodes codes={codes} onDone={() => setCodes(null)} />}
      {codes === null && enabled === false && <SetUp onCodes={setCodes} />}
      {codes === null && enabled === true && (
        <Manage left={status.data?.backup_codes_left ?? 0} onCodes={setCodes} />
      )}
    </section>
  )
}

type WithCodes = { onCodes: (codes: string[]) => void }

function SetUp({ onCodes }: WithCodes) {
  const { user } = useSessionContext()
  const toast = useToast()
  const hasNone = useQuery(passkeysQuery(user.id)).data?.has_password === false
  const enrollment = useAccountChange(beginTwoFactor)
  const confirm = useAccountChange(confirmTwoFactor, () => {
    toast(m.twoFactorEnabled)
    onCodes(enrollment.data?.backup_codes ?? [])
  })
  if (enrollment.data === undefined) {
    return (
      <>
        <p>
          {m.twoFactorHint}
        </p>
        {hasNone && <p>{m.twoFactorNoPassword}</p>}
        <Fold name={m.setUpTwoFactor} of={enrollment}>
          <Form
            defaultValues={{ password: '' }}
            error={enrollment.error}
            onSubmit={(values) => enrollment.mutate(ownPassword(values))}
          >
            <Confirmation error={enrollment.error} />
            <SubmitButton isBusy={enrollment.isPending}>{m.continue}</SubmitButton>
          </Form>
        </Fold>
      </>
    )
  }
  const uri = enrollment.data.totp_uri
  return (
    <Form
      defaultValues={{ code: '' }}
      error={confirm.error}
      onSubmit={({ code }) => confirm.mutate(code)}
    >
      <p>{m.scanHint}</p>
      <QrCode text={uri} />
      <p>
        {m.scanKey}{' '}
        <code className='key'>
          {new URL(uri).searchParams.get('secret')?.replace(/.{4}(?=.)/g, '$& ')}
        </code>
      </p>
      <p>
        <a href={uri}>{m.openAuthenticator}</a>
      </p>
      <CodeField autoFocus />
      <SubmitButton isBusy={confirm.isPending}>{m.turnOn}</SubmitButton>
      <button type='button' className='quiet' onClick={() => enrollment.reset()}>
        {common.cancel}
      </button>
    </Form>
  )
}

/** One path, because the content security policy allows no inline style. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 4 })
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))
  )
  return (
    <svg
      className='qr'
      viewBox={`0 0 ${size} ${size}`}
      role='img'
      aria-label={m.qrCode}
      shapeRendering='crispEdges'
    >
      <path d={squares.join('')} />
    </svg>
  )
}

function Manage({ left, onCodes }: WithCodes & { left: number }) {
  const toast = useToast()
  const [intent, setIntent] = useState<'codes' | 'off' | null>(null)
  const renew = useAccountChange(newBackupCodes, ({ backup_codes: codes }) => onCodes(codes))
  const disable = useAccountChange(disableTwoFactor, () => toast(m.twoFactorDisabled))
  const change = intent === 'off' ? disable : renew
  return (
    <>
      <p>{m.twoFactorOn(left)}</p>
      {intent === null
        ? (
          <div className='buttons'>
            <button type='button' onClick={() => setIntent('codes')}>{m.newBackupCodes}</button>
            <button type='button' onClick={() => setIntent('off')}>{m.turnOff}</button>
          </div>
        )
        : (
          <Form
            defaultValues={{ password: '' }}
            error={change.error}
            onSubmit={(values) => change.mutate(ownPassword(values))}
          >
            <p>{intent === 'off' ? m.turnOffHint : m.newBackupCodesHint}</p>
            <Confirmation error={change.error} />
            <SubmitButton isBusy={change.isPending}>
              {intent === 'off' ? m.turnOff : m.createBackupCodes}
            </SubmitButton>
            <button type='button' className='quiet' onClick={() => setIntent(null)}>
              {common.cancel}
            </button>
          </Form>
        )}
    </>
  )
}

/** Shows the backup codes once. */
function BackupCodes({ codes, onDone }: { codes: string[], onDone: () => void }) {
  const toast = useToast()
  const text = `${codes.join('\n')}\n`
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => toast(m.codesCopied),
      () => toast(m.codesCopyFailed),
    )
  return (
    <div role='status'>
      <p>{m.backupCodesHint}</p>
      <ul className='codes'>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className='buttons'>
        <button type='button' autoFocus onClick={() => void copy()}>{m.copy}</button>
        <button
          type='button'
          onClick={() => save(new Blob([text], { type: 'text/plain' }), 'backup-codes.txt')}
        >
          {m.saveFile}
        </button>
        <button type='button' className='primary' onClick={onDone}>{m.codesKept}</button>
      </div>
    </div>
  )
}
