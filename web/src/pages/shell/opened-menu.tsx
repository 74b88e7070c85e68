import { Menu } from "@mantine/core";
import { cloneElement, useEffect, useRef, useState, type ReactElement, type ReactNode } from "react";

interface Props {
  position: "top-start" | "bottom-start";
  button: ReactElement<{ ref?: unknown }>;
  children: ReactNode;
}

/** A menu that opens when it was loaded. Its button has the focus first, so that the focus returns there. */
export function OpenedMenu({ position, button, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    target.current?.focus();
    const frame = requestAnimationFrame(() => setOpen(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <Menu position={position} width={220} opened={isOpen} onChange={setOpen}>
      <Menu.Target>{cloneElement(button, { ref: target })}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
