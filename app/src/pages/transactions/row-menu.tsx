/**
 * The menu of a row: each step that begins with one row. One menu serves all rows, because a list
 * draws many.
 */
import { Menu } from '@base-ui/react/menu'
import {
  ArrowLeftRight,
  Copy,
  Paperclip,
  Pencil,
  Scissors,
  Trash2,
  Undo2,
  Wand2,
} from 'lucide-react'
import { MenuPopup } from '../../shell/menus.tsx'
import type { Transaction } from '../../data/transactions/api.ts'
import { common } from '../../messages/common.ts'
import { receipts } from '../../messages/receipts.ts'
import { transactions as m } from '../../messages/transactions.ts'
import type { ListState } from './list-state.ts'

/** A row, and its button that the menu stands beside. */
export type MenuPlace = { row: Transaction, button: Element }

type RowMenuProps = {
  place: MenuPlace | null
  onOpen: (dialog: ListState['dialog']) => void
  onEdit: (id: string) => void
  onDelete: (row: Transaction) => void
  onClose: () => void
  focusList: () => HTMLElement | null
}

export function RowMenu({ place, onOpen, onEdit, onDelete, onClose, focusList }: RowMenuProps) {
  if (place === null) return null
  const { row, button } = place
  const isTransfer = row.transfer_id !== null
  const steps = [
    { name: common.edit, Icon: Pencil, isOffered: true, act: () => onEdit(row.id) },
    {
      name: m.split,
      Icon: Scissors,
      isOffered: !isTransfer && row.amount !== 0,
      act: () => onOpen({ details: row, begin: 'split' }),
    },
    {
      name: m.refund,
      Icon: Undo2,
      isOffered: !isTransfer && row.amount < 0,
      act: () => onOpen({ copyOf: row, isRefund: true }),
    },
    {
      name: m.duplicate,
      Icon: Copy,
      isOffered: !isTransfer,
      act: () => onOpen({ copyOf: row, isRefund: false }),
    },
    {
      name: m.linkTransfer,
      Icon: ArrowLeftRight,
      isOffered: isTransfer || (row.account_id !== null && row.amount !== 0),
      act: () => onOpen({ details: row, begin: 'transfer' }),
    },
    {
      name: receipts.receipts,
      Icon: Paperclip,
      isOffered: true,
      act: () => onOpen({ receipts: row }),
    },
    {
      name: m.createRule,
      Icon: Wand2,
      isOffered: !isTransfer,
      act: () => onOpen({ ruleFor: row }),
    },
    { name: common.delete, Icon: Trash2, isOffered: true, act: () => onDelete(row) },
  ]
  return (
    <Menu.Root key={row.id} open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <MenuPopup anchor={button} finalFocus={focusList}>
        {steps.filter(({ isOffered }) => isOffered).map(({ name, Icon, act }) => (
          <Menu.Item key={name} className='menu-item' onClick={act}>
            <Icon className='icon' aria-hidden='true' />
            {name}
          </Menu.Item>
        ))}
      </MenuPopup>
    </Menu.Root>
  )
}
