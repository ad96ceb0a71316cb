import { useState } from 'react'
import { isApple, isInstalled, useInstallation } from '../../shell/installation.ts'
import { isLastSeenKept } from '../../shell/last-session.ts'
import { keepOnDevice } from '../../shell/session.ts'
import { settings as m } from '../../messages/settings.ts'
import { shell } from '../../messages/shell.ts'

/** The app on this device: its installation, and what it keeps for times without a connection. */
export function Device() {
  const { install } = useInstallation()
  const [isKept, setIsKept] = useState(isLastSeenKept)
  return (
    <section className='section'>
      <h3>{m.thisDevice}</h3>
      <label className='check'>
        <input
          type='checkbox'
          checked={isKept}
          onChange={({ target }) => {
            keepOnDevice(target.checked)
            setIsKept(target.checked)
          }}
        />{' '}
        {m.keepOffline}
      </label>
      <p className='field-note'>{m.keepOfflineHint}</p>
      {install !== null && (
        <div className='buttons'>
          <button type='button' onClick={install}>{shell.install}</button>
        </div>
      )}
      {isApple && !isInstalled() && <p>{m.installOnApple}</p>}
    </section>
  )
}
