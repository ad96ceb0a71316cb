/**
 * Requests to Docker's API, for what tests ask repeatedly: a command of Docker takes a hundred
 * times the processor time.
 */
import { request } from 'node:http'

/** Returns the body of a response. @throws if the engine refuses */
export const engine = (path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socketPath = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(
      'unix://',
      '',
    )
    request({ socketPath, path }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part)).on('error', reject).on('end', () => {
        const body = Buffer.concat(parts)
        if (response.statusCode === 200) resolve(body)
        else reject(new Error(`${path}: ${response.statusCode} ${body.toString()}`))
      })
    }).on('error', reject).end()
  })

type Listed = {
  Id: string
  State: string
  Status: string
  NetworkSettings: { Networks: Record<string, { IPAddress: string }> }
}

/** The containers of a service, without those of `docker compose run`. */
async function listed(project: string, service: string): Promise<Listed[]> {
  const label = [
    `com.docker.compose.project=${project}`,
    `com.docker.compose.service=${service}`,
    'com.docker.compose.oneoff=False',
  ]
  return JSON.parse(
    (await engine(
      `/containers/json?all=true&filters=${encodeURIComponent(JSON.stringify({ label }))}`,
    )).toString(),
  ) as Listed[]
}

/**
 * Returns `healthy`, `unhealthy` or `starting`, or an empty text for a service that does not run or
 * has no health check.
 */
export async function healthOf(project: string, service: string): Promise<string> {
  const [container] = await listed(project, service)
  return container?.State === 'running'
    ? /\((?:health: )?(\w+)\)$/.exec(container.Status)?.[1] ?? ''
    : ''
}

/**
 * Returns the address of a service in a network of its project. This machine can reach it, as the
 * containers of the network can.
 */
export async function addressOf(
  project: string,
  service: string,
  network: string,
): Promise<string> {
  const [container] = await listed(project, service)
  return container?.NetworkSettings.Networks[`${project}_${network}`]?.IPAddress ?? 'none'
}

/** Returns the text of a file in a container of a service. */
export async function fileOf(project: string, service: string, path: string): Promise<string> {
  const [container] = await listed(project, service)
  const archive = await engine(
    `/containers/${container?.Id}/archive?path=${encodeURIComponent(path)}`,
  )
  // A tar: a header of 512 bytes with the size in octal digits, then the file.
  return archive.subarray(512, 512 + Number.parseInt(archive.toString('latin1', 124, 135), 8))
    .toString()
}

/** Returns the lines that the containers of a service have logged. */
export async function logsOf(project: string, service: string): Promise<string[]> {
  const logs = await Promise.all(
    (await listed(project, service)).map(({ Id }) =>
      engine(`/containers/${Id}/logs?stdout=true&stderr=true`)
    ),
  )
  return logs.flatMap((log) => {
    const texts: Buffer[] = []
    // Each part has a header of eight bytes, which ends with the length.
    for (let at = 0; at < log.length;) {
      const end = at + 8 + log.readUInt32BE(at + 4)
      texts.push(log.subarray(at + 8, end))
      at = end
    }
    return Buffer.concat(texts).toString().split('\n').filter((line) => line !== '')
  })
}
