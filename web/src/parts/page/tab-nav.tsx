import { useEffect, useRef, type ReactNode } from "react";

/**
 * Links to the pages of one subject. On a narrow screen they scroll sideways with the current one in view, and fade
 * where they are cut.
 */
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
  useEffect(() => {
    const tabs = nav.current;
    if (!tabs) return undefined;
    const mark = () => {
      const isCutAtStart = tabs.scrollLeft > 1;
      const isCutAtEnd = tabs.scrollLeft + tabs.clientWidth < tabs.scrollWidth - 1;
      const cut = isCutAtStart ? (isCutAtEnd ? "both" : "start") : isCutAtEnd ? "end" : "";
      if (tabs.dataset["cut"] !== cut) tabs.dataset["cut"] = cut;
    };
    const sizes = new ResizeObserver(mark);
    for (const each of [tabs, ...tabs.children]) sizes.observe(each);
    tabs.addEventListener("scroll", mark, { passive: true });
    return () => {
      sizes.disconnect();
      tabs.removeEventListener("scroll", mark);
    };
  }, []);
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {children}
    </nav>
  );
}
