/** Positions of widgets on a dashboard. */
import { expect, test } from 'vitest'
import type { Widget } from '../../data/dashboards.ts'
import { inOrder, move, pack, put, resize } from './arrangement.ts'

const widget = (id: string, w: number, x = 0, y = 0): Widget => ({
  id,
  type: 'stat',
  position: { x, y },
  size: { w, h: 2 },
})
const placesOf = (widgets: Widget[]) =>
  widgets.map(({ id, position: { x, y }, size: { w } }) => `${id} ${x},${y} ${w}`)

test('widgets are read from top to bottom and from left to right', () => {
  expect(inOrder([widget('c', 4, 0, 2), widget('b', 4, 4), widget('a', 4)]).map(({ id }) => id))
    .toEqual(['a', 'b', 'c'])
})

test('a widget is placed beside its predecessor if there is room, otherwise below', () => {
  expect(placesOf(pack([widget('a', 8), widget('b', 4), widget('c', 6)]))).toEqual([
    'a 0,0 8',
    'b 8,0 4',
    'c 0,2 6',
  ])
})

test('a step moves a widget past its neighbour, and the first one not further up', () => {
  const both = pack([widget('a', 6), widget('b', 6)])
  expect(move(both, 'b', -1).map(({ id }) => id)).toEqual(['b', 'a'])
  expect(move(both, 'a', -1)).toBe(both)
})

test('a widget takes the next width, and keeps the widest', () => {
  expect(placesOf(resize([widget('a', 8)], 'a', 1))).toEqual(['a 0,0 12'])
  expect(placesOf(resize([widget('a', 12)], 'a', 1))).toEqual(['a 0,0 12'])
  expect(placesOf(resize([widget('a', 6)], 'a', -1))).toEqual(['a 0,0 4'])
})

test('a changed widget replaces the former one, and a new one comes last', () => {
  const one = [widget('a', 6)]
  expect(placesOf(put(one, widget('a', 4)))).toEqual(['a 0,0 4'])
  expect(placesOf(put(one, widget('b', 6)))).toEqual(['a 0,0 6', 'b 6,0 6'])
})
