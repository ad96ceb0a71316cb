/** The app on a device: its service worker, new versions, and the installation. */
import { useSyncExternalStore } from 'react'

/** The browser's offer to install the app. TypeScript's types lack it. */
type InstallEvent = Event & { prompt: () => Promise<unknown> }

type Installation = {
  /** Whether the server has a newer version than this page. */
  isOutdated: boolean
  /** Shows the browser's dialog; null if the browser offers none. */
  install: (() => void) | null
}

/** Pages that stay open look for a new version this often, in milliseconds. */
const updateEveryMs = 3_600_000

let installation: Installation = { isOutdated: false, install: null }
const listeners = new Set<() => void>()

function update(change: Partial<Installation>): void {
  installation = { ...installation, ...change }
  for (const listener of listeners) listener()
}

async function register(): Promise<void> {
  const workers = navigator.serviceWorker
  // a worker that takes over from another one has a new version
  let hasWorker = workers.controller !== null
  workers.addEventListener('controllerchange', () => {
    if (hasWorker) update({ isOutdated: true })
    hasWorker = true
  })
  const registration = await workers.register('/sw.js', { updateViaCache: 'none' })
  // without a connection there is no update
  setInterval(() => void registration.update().catch(() => undefined), updateEveryMs)
}

/** Keeps the app's files on the device, and listens to the browser's offer to install it. */
export function followInstallation(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    update({ install: () => void (event as InstallEvent).prompt() })
  })
  addEventListener('appinstalled', () => update({ install: null }))
  // the first view comes first
  if (import.meta.env.PROD && 'serviceWorker' in navigator)
    addEventListener('load', () => setTimeout(() => void register().catch(() => undefined), 1_000))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useInstallation = (): Installation =>
  useSyncExternalStore(subscribe, () => installation)

/**
 * Whether this is an iPhone or iPad, whose browsers offer the installation only in their own menu.
 */
export const isApple = /iPhone|iPad/.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)

/** Whether the app runs in its own window. */
export const isInstalled = (): boolean => matchMedia('(display-mode: standalone)').matches
