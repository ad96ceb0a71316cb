/** Says which context is shown, with the role in it, and leads to the others. The page stays. */
import { Menu } from '@base-ui/react/menu'
import { useMutation } from '@tanstack/react-query'
import { chooseContext } from '../data/me.ts'
import { MenuPopup } from '../parts/menu.tsx'
import { useTell } from '../parts/toast.tsx'
import { nameOf, useHere } from './here.tsx'

export function ContextSwitcher() {
  const { context, team, teams, role } = useHere()
  const tell = useTell()
  const choose = useMutation({ mutationFn: chooseContext, onError: (error) => tell(error) })
  return (
    <Menu.Root>
      <Menu.Trigger className='context'>
        <span className='unseen'>Context:</span>
        <span className='context-name'>{nameOf(team)}</span>
        {role !== null && <span className='badge'>{role}</span>}
        <span aria-hidden='true'>▾</span>
      </Menu.Trigger>
      <MenuPopup>
        <Menu.RadioGroup value={context.key} onValueChange={(key: string) => choose.mutate(key === 'personal' ? null : key)}>
          <Menu.RadioItem className='menu-item' value='personal' closeOnClick>Personal</Menu.RadioItem>
          {teams.map((one) => (
            <Menu.RadioItem key={one.id} className='menu-item' value={one.id} closeOnClick>
              {one.name} <span className='badge'>{one.role}</span>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </MenuPopup>
    </Menu.Root>
  )
}
