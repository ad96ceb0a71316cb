/** An error as its first line: what a person is told who cannot do anything with a stack. */
export const oneLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
