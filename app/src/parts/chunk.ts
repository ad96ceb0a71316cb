/**
 * Pages and parts of the app, each a chunk that loads on demand.
 *
 * Firefox cancels the imports of a page that the user leaves. The router would take this for a
 * former build and reload the page, and the reload would cancel the user's navigation. So such an
 * error waits until the page is gone.
 */
import { lazyRouteComponent } from '@tanstack/react-router'
import { lazy, type ReactNode } from 'react'

/**
 * Milliseconds, longer than most navigations. A page may also stay, for example after a link to
 * another program.
 */
const leavingTakes = 10_000

let isLeaving = false
addEventListener('beforeunload', () => {
  isLeaving = true
  setTimeout(() => isLeaving = false, leavingTakes)
})

async function load<Chunk>(fetchChunk: () => Promise<Chunk>): Promise<Chunk> {
  try {
    return await fetchChunk()
  } catch (error) {
    if (isLeaving) await new Promise((resolve) => setTimeout(resolve, leavingTakes))
    throw error
  }
}

/** A page from a module that exports it as `Page`. */
export const lazyPage = (fetchChunk: () => Promise<Record<'Page', () => ReactNode>>) =>
  lazyRouteComponent(() => load(fetchChunk), 'Page')

/** A part of a page. `ofChunk` returns its component. */
export const lazyPart = <Chunk, Props>(
  fetchChunk: () => Promise<Chunk>,
  ofChunk: (chunk: Chunk) => (props: Props) => ReactNode,
) => lazy(async () => ({ default: ofChunk(await load(fetchChunk)) }))
