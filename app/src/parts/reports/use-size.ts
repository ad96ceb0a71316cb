import { type RefCallback, useCallback, useState } from 'react'

type Size = { width: number, height: number }

/**
 * Follows the size of an element in pixels, so that text in a chart keeps its size on every screen.
 */
export function useSize<Element extends HTMLElement>(): [RefCallback<Element>, Size] {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  const ref = useCallback((element: Element | null) => {
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) =>
      setSize({
        width: Math.floor(entry?.contentRect.width ?? 0),
        height: Math.floor(entry?.contentRect.height ?? 0),
      })
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, size]
}
