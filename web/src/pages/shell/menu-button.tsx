import { Suspense, useState, type ReactElement, type ReactNode } from "react";

interface Props {
  className: string;
  /** The pointer or the focus is on the button: the menu can be loaded. */
  onLikely: () => void;
  /** The menu with this button, opened; loaded when it is first rendered. */
  renderMenu: (button: ReactElement<{ ref?: unknown }>) => ReactNode;
  children: ReactNode;
}

/** A button of the first page whose menu is not loaded with it: menus are a tenth of the script. */
export function MenuButton({ className, onLikely, renderMenu, children }: Props) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <button
      type="button"
      className={className}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={onLikely}
      onFocus={onLikely}
      onClick={() => setWanted(true)}
    >
      {children}
    </button>
  );
  return isWanted ? <Suspense fallback={button}>{renderMenu(button)}</Suspense> : button;
}
