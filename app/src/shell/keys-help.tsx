/** The help that names the keys of the app. */
import { inbox } from '../messages/inbox.ts'
import { keys as m } from '../messages/keys.ts'
import { Dialog } from '../parts/dialog.tsx'

type Key = readonly [key: string, does: string]

/** Keys of every page. */
const everywhere: readonly Key[] = [['n', m.newTransaction], ['?', m.help]]

/** Keys of the list of transactions that change nothing. */
const reading: readonly Key[] = [['/', m.search], ['↑ ↓ PgUp PgDn Home End', m.nextRow], [
  'r',
  m.receipts,
]]

/** Keys of the list that change rows. They apply to the selected rows, or to the active one. */
const writing: readonly Key[] = [
  [m.enterOrE, m.edit],
  ['c', m.category],
  ['m', m.menu],
  [m.space, m.select],
  ['Delete', m.delete],
  [m.esc, m.leave],
]

/** Keys of the inbox. */
const sorting: readonly Key[] = [
  ['↑ ↓ j k', inbox.nextItem],
  ['Enter a', inbox.acceptKey],
  ['c', inbox.categoryKey],
  ['t', inbox.transferKey],
  ['s', inbox.openKey],
  ['x', inbox.selectKey],
  ['A', inbox.acceptAllKey],
  ['y', inbox.ruleYes],
  ['u', inbox.undoKey],
]

const groups = (isReadOnly: boolean) => [
  { name: m.onEveryPage, keys: isReadOnly ? everywhere.slice(1) : everywhere },
  { name: m.inList, keys: isReadOnly ? reading : [...reading, ...writing] },
  ...isReadOnly ? [] : [{ name: m.inInbox, keys: sorting }],
]

export const Keys = ({ isReadOnly, onClose }: { isReadOnly: boolean, onClose: () => void }) => (
  <Dialog title={m.title} open onClose={onClose}>
    {groups(isReadOnly).map(({ name, keys }) => (
      <section key={name}>
        <h3>{name}</h3>
        <dl className='shell-keys'>
          {keys.map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </Dialog>
)
