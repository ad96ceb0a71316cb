import { useId } from 'react'
import { chooseLanguage } from '../shell/preferences.ts'
import { chosenLanguage, type Language, languages } from '../locale/language.ts'
import { common as m } from '../messages/common.ts'

/** The language of the texts on this device. */
export function LanguageChoice() {
  const id = useId()
  return (
    <div className='field'>
      <label htmlFor={id}>{m.language}</label>
      <select
        id={id}
        value={chosenLanguage() ?? ''}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => chooseLanguage((target.value || null) as Language | null)}
      >
        <option value=''>{m.browserLanguage}</option>
        {Object.entries(languages).map(([language, name]) => (
          <option key={language} value={language} lang={language}>{name}</option>
        ))}
      </select>
      <p id={`${id}-note`} className='field-note'>{m.reloadsPage}</p>
    </div>
  )
}
