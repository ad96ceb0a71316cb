import { execFileSync } from 'node:child_process'

/** Makes a key and a self-signed certificate. */
export function certificate(): { key: Buffer, cert: Buffer } {
  const made = execFileSync(
    'openssl',
    'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=tests -keyout - -out -'.split(' '),
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  return { key: made, cert: made }
}
