import { useState } from 'react'
import {
  type Appearance,
  appearances,
  chooseAppearance,
  chosenAppearance,
} from '../../shell/preferences.ts'
import { settings as m } from '../../messages/settings.ts'

/** The look of the app on this device. */
export function AppearanceChoice() {
  const [chosen, setChosen] = useState(chosenAppearance)
  const choose = (name: keyof Appearance, value: string) => {
    chooseAppearance(name, value)
    setChosen(chosenAppearance())
  }
  return (
    <section className='section choices'>
      {(Object.keys(appearances) as Array<keyof Appearance>).map((name) => (
        <fieldset key={name} className='choice'>
          <legend>{m.appearance[name].name}</legend>
          {appearances[name].map((value) => (
            <label key={value} className='check'>
              <input
                type='radio'
                name={name}
                checked={chosen[name] === value}
                onChange={() => choose(name, value)}
              />
              {(m.appearance[name].values as Record<string, string>)[value]}
            </label>
          ))}
        </fieldset>
      ))}
    </section>
  )
}
