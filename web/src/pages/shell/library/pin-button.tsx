import { Pin, PinOff } from "lucide-react";

interface Props {
  name: string;
  isPinned: boolean;
  onClick: () => void;
  /** The button is for the pointer only: rows of a tree have one focus, and the library's panel pins by keyboard. */
  isOutOfOrder?: boolean;
}

/** Pins an entry to the top of the sidebar, or removes it from there. It appears with the pointer or the focus. */
export function PinButton({ name, isPinned, onClick, isOutOfOrder = false }: Props) {
  const label = `${isPinned ? "Unpin" : "Pin"} ${name}`;
  return (
    <button
      type="button"
      className="pin"
      aria-label={label}
      aria-hidden={isOutOfOrder || undefined}
      title={label}
      tabIndex={isOutOfOrder ? -1 : undefined}
      onClick={onClick}
    >
      {isPinned ? <PinOff size={14} /> : <Pin size={14} />}
    </button>
  );
}
