/** The paths of the data surface, as PostgREST has them, and their methods. No I/O. */
import { functionsThatWrite } from './columns.ts'

/**
 * The paths of PostgREST: of a table, of a function, and of its description. PostgREST also decodes
 * names, but the edge knows lists and the functions that write by their literal names.
 */
export const isPath = /^\/(?:(?:rpc\/)?[^/?%]+)?(?:\?|$)/

/** The methods of the description. */
export const rootMethods = ['OPTIONS', 'GET', 'HEAD']

/** Returns true for the path of the description. */
export const isRoot = (path: string) => /^\/(?:\?|$)/.test(path)

/** Returns the methods of a path. PostgREST names them only in its response to OPTIONS. */
export function methodsOf(path: string): string[] {
  const name = /^\/rpc\/([^?]+)/.exec(path)?.[1]
  if (name !== undefined)
    return functionsThatWrite.has(name)
      ? ['OPTIONS', 'POST']
      : ['OPTIONS', 'GET', 'HEAD', 'POST']
  return isRoot(path) ? rootMethods : ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
}

/** Returns true if a request may change rows. */
export function isWrite(method: string, path: string): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  const name = /^\/rpc\/([^?]+)/.exec(path)?.[1]
  return name === undefined || functionsThatWrite.has(name)
}
