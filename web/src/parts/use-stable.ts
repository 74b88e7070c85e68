import { useCallback, useEffect, useRef } from "react";

/** The same function for the life of the component, which calls the current handler. For events, not for rendering. */
export function useStable<A extends unknown[], R>(handler: (...args: A) => R): (...args: A) => R {
  const current = useRef(handler);
  useEffect(() => {
    current.current = handler;
  });
  return useCallback((...args: A) => current.current(...args), []);
}
