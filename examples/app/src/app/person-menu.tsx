/** Who is signed in, and what is about them alone. On a phone it has the pages for which the bottom bar has no room. */
import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import { signOut } from '../data/me.ts'
import { MenuPopup } from '../parts/menu.tsx'
import { useHere } from './here.tsx'
import { inBottomBar, placesFor } from './places.ts'

export function PersonMenu() {
  const { user, rights } = useHere()
  return (
    <Menu.Root>
      <Menu.Trigger className='quiet'>{user.name || user.email}</Menu.Trigger>
      <MenuPopup>
        {placesFor(rights.write).slice(inBottomBar).map(({ to, name }) => (
          <Menu.Item key={to} className='menu-item phone-only' render={<Link to={to} />}>{name}</Menu.Item>
        ))}
        <Menu.Item className='menu-item' render={<Link to='/settings' />}>Your account</Menu.Item>
        <Menu.Item className='menu-item' onClick={() => void signOut()}>Sign out</Menu.Item>
      </MenuPopup>
    </Menu.Root>
  )
}
