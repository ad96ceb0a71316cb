/** Menus of the top bar: the context switcher and the user menu. */
import { Menu } from '@base-ui/react/menu'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  ChevronsUpDown,
  Keyboard,
  Download,
  Ellipsis,
  LogOut,
  Settings,
  UserRound,
  Users,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { chooseContext, signOut } from '../data/me.ts'
import { shell as m } from '../messages/shell.ts'
import { useToast } from '../parts/toast.tsx'
import { useInstallation } from './installation.ts'
import { pagesFor } from './navigation.ts'
import { nameOf, useSessionContext } from './session-context.tsx'
import { common } from '../messages/common.ts'

type MenuPopupProps = {
  children: ReactNode
  /** The element beside a menu that has no trigger of its own. */
  anchor?: Element | null
  /** Returns the element that gets the focus when the menu closes. By default the trigger. */
  finalFocus?: () => HTMLElement | null
}

/** The popup of a menu. Its items are `Menu.Item` with the class `menu-item`. */
export const MenuPopup = ({ children, anchor, finalFocus }: MenuPopupProps) => (
  <Menu.Portal container={document.querySelector<HTMLElement>('#content')}>
    <Menu.Positioner
      className='menu-place'
      align='end'
      sideOffset={4}
      {...(anchor !== undefined && { anchor })}
    >
      <Menu.Popup className='menu' {...(finalFocus !== undefined && { finalFocus })}>
        {children}
      </Menu.Popup>
    </Menu.Positioner>
  </Menu.Portal>
)

/** Shows the context and the role in it, and switches to another. The page stays. */
function ContextSwitcher() {
  const { context, team, teams, role } = useSessionContext()
  const toast = useToast()
  const choose = useMutation({ mutationFn: chooseContext, onError: (error) => toast(error) })
  const ContextIcon = team === null ? UserRound : Users
  return (
    <Menu.Root>
      <Menu.Trigger className='shell-context'>
        <span className='unseen'>{m.workspace}</span>
        <ContextIcon className='icon' aria-hidden='true' />
        <span className='shell-context-name'>{nameOf(team)}</span>
        {role !== null && <span className='badge'>{common.roles[role]}</span>}
        <ChevronsUpDown className='icon' aria-hidden='true' />
      </Menu.Trigger>
      <MenuPopup>
        <Menu.RadioGroup
          value={context.key}
          onValueChange={(key: string) => choose.mutate(key === 'personal' ? null : key)}
        >
          <Menu.RadioItem className='menu-item' value='personal' closeOnClick>
            {m.personal}
          </Menu.RadioItem>
          {teams.map((one) => (
            <Menu.RadioItem key={one.id} className='menu-item' value={one.id} closeOnClick>
              {one.name} <span className='badge'>{common.roles[one.role]}</span>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </MenuPopup>
    </Menu.Root>
  )
}

/** The user's own pages. @param onKeys shows the keys of the app */
function UserMenu({ onKeys }: { onKeys: () => void }) {
  const { user } = useSessionContext()
  const { install } = useInstallation()
  const toast = useToast()
  const leave = useMutation({ mutationFn: signOut, onError: (error) => toast(error) })
  return (
    <Menu.Root>
      <Menu.Trigger className='quiet shell-user'>{user.name || user.email}</Menu.Trigger>
      <MenuPopup>
        <Menu.Item className='menu-item' render={<Link to='/settings' />}>
          <Settings className='icon' aria-hidden='true' />
          {m.settings}
        </Menu.Item>
        {install !== null && (
          <Menu.Item className='menu-item' onClick={install}>
            <Download className='icon' aria-hidden='true' />
            {m.install}
          </Menu.Item>
        )}
        <Menu.Item className='menu-item' onClick={onKeys}>
          <Keyboard className='icon' aria-hidden='true' />
          {m.keys}
        </Menu.Item>
        <Menu.Item className='menu-item' onClick={() => leave.mutate()}>
          <LogOut className='icon' aria-hidden='true' />
          {m.signOut}
        </Menu.Item>
      </MenuPopup>
    </Menu.Root>
  )
}

/** The pages that a phone's bottom bar has no room for. */
export function MorePages() {
  const { rights } = useSessionContext()
  return (
    <Menu.Root>
      <Menu.Trigger className='shell-more'>
        <Ellipsis className='icon' aria-hidden='true' />
        <span className='shell-place-name'>{m.more}</span>
      </Menu.Trigger>
      <MenuPopup>
        {pagesFor(rights).filter(({ isDaily }) => !isDaily).map(({ to, name, Icon }) => (
          <Menu.Item key={to} className='menu-item' render={<Link to={to} />}>
            <Icon className='icon' aria-hidden='true' />
            {name}
          </Menu.Item>
        ))}
      </MenuPopup>
    </Menu.Root>
  )
}

/** @param onKeys shows the keys of the app @param children the actions between the two menus */
export const Menus = ({ onKeys, children }: { onKeys: () => void, children: ReactNode }) => (
  <>
    <ContextSwitcher />
    {children}
    <UserMenu onKeys={onKeys} />
  </>
)
