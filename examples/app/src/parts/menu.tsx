import { Menu } from '@base-ui/react/menu'
import type { ReactNode } from 'react'

/** What a menu opens; its items are `Menu.Item` with the class `menu-item`. */
export const MenuPopup = ({ children }: { children: ReactNode }) => (
  <Menu.Portal>
    <Menu.Positioner className='menu-place' align='end' sideOffset={4}>
      <Menu.Popup className='menu'>{children}</Menu.Popup>
    </Menu.Positioner>
  </Menu.Portal>
)
