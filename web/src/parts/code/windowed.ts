import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useRef, useState } from "react";

/** The element that scrolls a page. */
const scroller = () => document.getElementById("main");

/** Draws only the rows in view of a list inside the page's scroller. `sizeOf` is the height of a row. */
export function useWindowed(count: number, sizeOf: (index: number) => number) {
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const measure = useCallback(() => {
    const [box, main] = [list.current, scroller()];
    if (!box || !main) return;
    const top = box.getBoundingClientRect().top - main.getBoundingClientRect().top + main.scrollTop;
    setMargin((old) => (Math.abs(old - top) < 1 ? old : top));
  }, []);
  // The list moves as content above it arrives or wraps differently.
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    for (let node = list.current?.parentElement; node && node !== scroller(); node = node.parentElement)
      observer.observe(node);
    return () => observer.disconnect();
  }, [measure, count]);
  const rows = useVirtualizer({
    count,
    getScrollElement: scroller,
    estimateSize: sizeOf,
    overscan: 30,
    scrollMargin: margin,
  });
  return { list, rows, margin };
}
