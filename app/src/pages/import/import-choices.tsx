/** The choices about rows that are stored already. Shows only choices that change the result. */
import type { ImportOptions, Judged } from '../../data/imports.ts'
import { bankImport as m } from '../../messages/bank-import.ts'

/** Whether the verdict of a row depends on the choice. */
const dependsOn: Record<keyof ImportOptions, (one: Judged) => boolean> = {
  // a duplicate of another format has a reason
  match: ({ verdict, reason }) =>
    verdict === 'matched' || (verdict === 'duplicate' && reason !== null),
  linkTransfers: ({ verdict }) => verdict === 'transfer',
  again: ({ verdict }) => verdict === 'deleted',
}

type ImportChoicesProps = {
  judged: Judged[]
  options: ImportOptions
  onChange: (options: ImportOptions) => void
}

export function ImportChoices({ judged, options, onChange }: ImportChoicesProps) {
  const choices = (Object.keys(dependsOn) as Array<keyof ImportOptions>).filter((choice) =>
    options[choice] === (choice === 'again') || judged.some(dependsOn[choice])
  )
  if (choices.length === 0) return null
  return (
    <fieldset className='import-choices'>
      <legend>{m.existingRows}</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input
            type='checkbox'
            checked={options[choice]}
            onChange={({ target }) => onChange({ ...options, [choice]: target.checked })}
          />
          {m.choices[choice]}
        </label>
      ))}
    </fieldset>
  )
}
