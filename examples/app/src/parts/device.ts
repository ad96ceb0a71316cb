/** Enough of what a browser says of itself for a person to know it. */
export function deviceOf(agent: string): string {
  const browser = /(Firefox|Edg|Chrome|Safari)\//.exec(agent)?.[1]?.replace('Edg', 'Edge') ?? 'A program'
  const system = /(Windows|Android|iPhone|iPad|Mac OS|Linux)/.exec(agent)?.[1]
  return system === undefined ? browser : `${browser} on ${system}`
}
