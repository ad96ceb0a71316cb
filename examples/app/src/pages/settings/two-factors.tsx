/** Two-factor sign-in: setup, backup codes and removal. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { encode } from 'uqr'
import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { beginTwoFactor, confirmTwoFactor, disableTwoFactor, newBackupCodes, passkeysQuery, twoFactorQuery } from '../../data/me.ts'
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
      <h3>Two factors</h3>
      <ErrorNote error={status.error} />
      {status.isPending && <Skeleton />}
      {codes !== null && <BackupCodes codes={codes} onDone={() => setCodes(null)} />}
      {codes === null && enabled === false && <SetUp onCodes={setCodes} />}
      {codes === null && enabled === true && <Manage left={status.data?.backup_codes_left ?? 0} onCodes={setCodes} />}
    </section>
  )
}

type WithCodes = { onCodes: (codes: string[]) => void }

function SetUp({ onCodes }: WithCodes) {
  const { user } = useSessionContext()
  const toast = useToast()
  const hasNone = useQuery(passkeysQuery(user.id)).data?.has_password === false
  const begin = useAccountChange(beginTwoFactor)
  const confirm = useAccountChange(confirmTwoFactor, () => {
    toast('Two factors are on, and your other sessions have ended.')
    onCodes(begin.data?.backup_codes ?? [])
  })
  if (begin.data === undefined) {
    return (
      <>
        <p>
          Who signs in with your password is then also asked for a code that an authenticator app on your phone shows. A password that somebody has guessed is
          not enough any more.
        </p>
        {hasNone && <p>You have no password, and nothing else asks for the code.</p>}
        <Fold name='Set up two factors' of={begin}>
          <Form defaultValues={{ password: '' }} error={begin.error} onSubmit={(values) => begin.mutate(ownPassword(values))}>
            <Confirmation error={begin.error} />
            <SubmitButton isBusy={begin.isPending}>Go on</SubmitButton>
          </Form>
        </Fold>
      </>
    )
  }
  const uri = begin.data.totp_uri
  return (
    <Form defaultValues={{ code: '' }} error={confirm.error} onSubmit={({ code }) => confirm.mutate(code)}>
      <p>Let the app read this, or type the key into it. Then give the code that it shows.</p>
      <QrCode text={uri} />
      <p>
        Key: <code className='key'>{new URL(uri).searchParams.get('secret')?.replace(/.{4}(?=.)/g, '$& ')}</code>
      </p>
      <p>
        <a href={uri}>Open the app of this device</a>
      </p>
      <CodeField autoFocus />
      <SubmitButton isBusy={confirm.isPending}>Turn on</SubmitButton>
      <button type='button' className='quiet' onClick={() => begin.reset()}>Cancel</button>
    </Form>
  )
}

/** One path, because the content security policy allows no inline style. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 4 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg className='qr' viewBox={`0 0 ${size} ${size}`} role='img' aria-label='QR code for the authenticator app' shapeRendering='crispEdges'>
      <path d={squares.join('')} />
    </svg>
  )
}

function Manage({ left, onCodes }: WithCodes & { left: number }) {
  const toast = useToast()
  const [wish, setWish] = useState<'codes' | 'off' | null>(null)
  const renew = useAccountChange(newBackupCodes, ({ backup_codes: codes }) => onCodes(codes))
  const disable = useAccountChange(disableTwoFactor, () => toast('Two factors are off.'))
  const change = wish === 'off' ? disable : renew
  return (
    <>
      <p>They are on: signing in asks for a code of your authenticator app. {left === 0 ? 'No backup code is left.' : `Backup codes left: ${left}.`}</p>
      {wish === null
        ? (
          <div className='buttons'>
            <button type='button' onClick={() => setWish('codes')}>New backup codes</button>
            <button type='button' onClick={() => setWish('off')}>Turn off</button>
          </div>
        )
        : (
          <Form defaultValues={{ password: '' }} error={change.error} onSubmit={(values) => change.mutate(ownPassword(values))}>
            <p>{wish === 'off' ? 'Your password alone then signs in.' : 'The backup codes that you have will work no more.'}</p>
            <Confirmation error={change.error} />
            <SubmitButton isBusy={change.isPending}>{wish === 'off' ? 'Turn off' : 'Make new backup codes'}</SubmitButton>
            <button type='button' className='quiet' onClick={() => setWish(null)}>Cancel</button>
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
    navigator.clipboard.writeText(text).then(() => toast('The codes are copied.'), () => toast('Copying is not allowed here. Save the file instead.'))
  return (
    <div role='status'>
      <p>Keep these backup codes where you find them without your phone. Each signs you in once in place of the app. They are not shown again.</p>
      <ul className='codes'>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className='buttons'>
        <button type='button' autoFocus onClick={() => void copy()}>Copy</button>
        <button type='button' onClick={() => save(new Blob([text], { type: 'text/plain' }), 'backup-codes.txt')}>Save as a file</button>
        <button type='button' className='primary' onClick={onDone}>I have kept them</button>
      </div>
    </div>
  )
}
