import { useEffect, useRef, type ReactNode } from "react";

/** Links to the pages of one subject. On a narrow screen they scroll sideways, with the current one in view. */
export function TabNav({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const shown = useRef<Element>(null);
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    if (!nav.current || !current || current === shown.current) return;
    shown.current = current;
    // Not by scrollIntoView, which would also scroll the page, whose place may have just been restored.
    const [box, link] = [nav.current.getBoundingClientRect(), current.getBoundingClientRect()];
    nav.current.scrollLeft += link.left - box.left - (box.width - link.width) / 2;
  });
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {children}
    </nav>
  );
}
