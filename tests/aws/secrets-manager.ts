/**
 * A fake AWS Secrets Manager for Terraform's provider, so that the provider's own code writes and
 * reads secrets in tests. Prints its port. It returns no stored value, so a test can only compare
 * versions.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Question = {
  Name?: string
  Description?: string
  Tags?: unknown[]
  SecretId?: string
  SecretString?: string
  VersionId?: string
  PasswordLength?: number
}
type Secret = {
  Name: string
  ARN: string
  Description: string
  Tags: unknown[]
  versions: Map<string, string[]>
}

const secrets = new Map<string, Secret>()

/** The error of AWS for a missing secret or version. */
const notFound = {
  status: 400,
  body: {
    __type: 'ResourceNotFoundException',
    message: "Secrets Manager can't find the specified secret.",
  },
}

const answers: Record<string, (secret: Secret, question: Question) => object | undefined> = {
  DescribeSecret: ({ versions, ...secret }) => ({
    ...secret,
    VersionIdsToStages: Object.fromEntries(versions),
  }),
  GetResourcePolicy: ({ ARN, Name }) => ({ ARN, Name }),
  PutSecretValue: ({ ARN, Name, versions }, { SecretString }) => {
    if (SecretString === undefined || SecretString.length < 32) return undefined
    for (const [id, stages] of versions)
      versions.set(id, stages.includes('AWSCURRENT') ? ['AWSPREVIOUS'] : [])
    const VersionId = randomUUID()
    versions.set(VersionId, ['AWSCURRENT'])
    return { ARN, Name, VersionId, VersionStages: ['AWSCURRENT'] }
  },
  GetSecretValue: ({ ARN, Name, versions }, { VersionId = '' }) => {
    const VersionStages = versions.get(VersionId)
    return VersionStages &&
      { ARN, Name, VersionId, VersionStages, SecretString: 'not returned', CreatedDate: 1 }
  },
  UpdateSecretVersionStage: ({ ARN, Name }) => ({ ARN, Name }),
  TagResource: () => ({}),
  DeleteSecret: ({ ARN, Name }) => {
    secrets.delete(ARN)
    return { ARN, Name, DeletionDate: 1 }
  },
}

function answer(operation: string, question: Question): { status: number, body: object } {
  if (operation === 'GetRandomPassword')
    return { status: 200, body: { RandomPassword: 'r'.repeat(question.PasswordLength ?? 32) } }
  if (operation === 'CreateSecret') {
    const { Name = '', Description = '', Tags = [] } = question
    const ARN = `arn:aws:secretsmanager:eu-central-1:123456789012:secret:${Name}-AbCdEf`
    secrets.set(ARN, { Name, ARN, Description, Tags, versions: new Map() })
    return { status: 200, body: { ARN, Name } }
  }
  const secret = secrets.get(question.SecretId ?? '')
  const body = secret && answers[operation]?.(secret, question)
  return body ? { status: 200, body } : notFound
}

const server = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk: Buffer) => (text += chunk.toString()))
  request.on('end', () => {
    const operation = String(request.headers['x-amz-target']).replace('secretsmanager.', '')
    const { status, body } = answer(operation, JSON.parse(text) as Question)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(
      JSON.stringify(body),
    )
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
