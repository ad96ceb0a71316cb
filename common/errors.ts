/** What a person is told when a program cannot go on: one line, which holds no secret. */

/** A start that cannot go on because of a value somebody can change. The message is one line and holds no secret. */
export const configError = (message: string): Error => Object.assign(new Error(message), { name: 'ConfigError' })
export const isConfigError = (error: unknown): error is Error => error instanceof Error && error.name === 'ConfigError'

/** An error as its first line: what a person is told who cannot do anything with a stack. */
export const oneLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
