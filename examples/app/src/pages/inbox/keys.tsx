import { inbox as m } from '../../messages/inbox.ts'
import { Dialog } from '../../parts/dialog.tsx'

const keys = [
  ['↑ ↓ j k', m.nextItem],
  ['Enter a', m.acceptKey],
  ['c', m.categoryKey],
  ['t', m.transferKey],
  ['s', m.openKey],
  ['x', m.selectKey],
  ['A', m.acceptAllKey],
  ['y', m.yes],
  ['u', m.undoKey],
  ['?', m.helpKey],
] as const

export const Keys = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={m.keys} open onClose={onClose}>
    <dl className='inbox-keys'>
      {keys.map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
