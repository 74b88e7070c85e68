import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The navigation of narrow windows. Following a link closes it. */
export function NavigationDrawer({ opened, onClose, children }: Props) {
  const closeOnLink = (event: React.MouseEvent) => {
    if (event.target instanceof Element && event.target.closest("a, .find-button")) onClose();
  };
  return (
    <Drawer opened={opened} onClose={onClose} title="Navigation" size={280}>
      <div className="drawer" onClickCapture={closeOnLink}>
        {children}
      </div>
    </Drawer>
  );
}
