import { Search } from "lucide-react";
import { useEffect, useRef } from "react";

interface Props {
  text: string;
  /** Purpose of the text. */
  label: string;
  onChange: (text: string) => void;
  onClose: () => void;
}

/** The field of the palette as long as its code is on its way: what is typed is kept, and no shortcut is triggered. */
export function PaletteField({ text, label, onChange, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div
      className="palette-frame"
      role="presentation"
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div role="dialog" aria-modal="true" aria-label={label}>
        <div className="row">
          <Search size={16} aria-hidden="true" />
          <input
            ref={field}
            className="grow"
            aria-label={label}
            placeholder={label}
            autoComplete="off"
            value={text}
            onChange={(event) => onChange(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") onClose();
              // Nothing else in the dialog can have the focus.
              if (event.key === "Tab") event.preventDefault();
            }}
          />
        </div>
        <p className="meta" role="status">
          Loading
        </p>
      </div>
    </div>
  );
}
