/**
 * The fields that a form changes. The others are not sent, so that they keep the values of other
 * users.
 */

/** Returns the values that differ from those of the row as the form was opened. */
export const changedFields = <Values extends object>(
  opened: Record<keyof Values, unknown>,
  values: Values,
): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) =>
      JSON.stringify(value) !== JSON.stringify(opened[field as keyof Values])
    ),
  ) as Partial<Values>

/** All values of a new row, or the changed ones of a stored row. */
export type RowInput<Values> = { id?: undefined, values: Values } | {
  id: string
  values: Partial<Values>
}

/**
 * Returns the input of a save; null if the user has changed nothing. @param row null for a new one
 * @param opened its values as it was opened
 */
export function inputOf<Values extends object>(
  row: { id: string } | null,
  opened: Record<keyof Values, unknown>,
  values: Values,
): RowInput<Values> | null {
  if (row === null) return { values }
  const changed = changedFields(opened, values)
  return Object.keys(changed).length === 0 ? null : { id: row.id, values: changed }
}
