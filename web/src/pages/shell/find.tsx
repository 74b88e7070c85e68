import { Search } from "lucide-react";

/** Opens the palette. */
export function Find({ onOpen, onHover }: { onOpen: () => void; onHover: () => void }) {
  return (
    <button
      type="button"
      className="find-button"
      aria-keyshortcuts="Control+K"
      onPointerEnter={onHover}
      onClick={onOpen}
    >
      <Search size={14} />
      <span className="grow">Search or jump to</span>
      <span className="kbd">Ctrl K</span>
    </button>
  );
}
