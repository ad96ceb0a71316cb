/** Offers a rule after a correction. */
import { useId, useState } from 'react'
import { inbox as m } from '../../messages/inbox.ts'

type RuleOfferProps = {
  text: string
  category: string
  isBusy: boolean
  onYes: (text: string) => void
  onNo: () => void
}

export function RuleOffer({ text, category, isBusy, onYes, onNo }: RuleOfferProps) {
  const [edited, setEdited] = useState(text)
  const id = useId()
  return (
    <form
      className='inbox-offer'
      aria-label={m.ruleQuestion(text, category)}
      onSubmit={(event) => {
        event.preventDefault()
        if (edited.trim() !== '' && !isBusy) onYes(edited.trim())
      }}
    >
      <p role='status'>{m.ruleQuestion(text, category)}</p>
      <label className='unseen' htmlFor={id}>{m.ruleText}</label>
      <input
        id={id}
        value={edited}
        maxLength={100}
        onChange={({ target }) => setEdited(target.value)}
      />
      <button type='submit' aria-disabled={isBusy}>{m.ruleYes}</button>
      <button type='button' className='quiet' onClick={onNo}>{m.ruleNo}</button>
    </form>
  )
}
