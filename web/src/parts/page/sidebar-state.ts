/**
 * The sidebar's state, which this browser keeps: open folders and pins of an organization. It has ids only, since names
 * of private skills and folders must not stay on the disk.
 */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useSyncExternalStore } from "react";
import { identityQuery } from "../../api/account/session.ts";

export interface Pin {
  kind: "folder" | "skill";
  id: string;
}
export interface SidebarState {
  /** Ids of the open folders. */
  open: string[];
  pins: Pin[];
  /** Whether the pages that few open often are shown. */
  isMoreOpen: boolean;
}

const prefix = "svc-sidebar";
const maxOpen = 500;
export const maxPins = 12;
const empty: SidebarState = { open: [], pins: [], isMoreOpen: false };
const listeners = new Set<() => void>();

function listen(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

function parse(text: string | null): SidebarState {
  try {
    return { ...empty, ...(JSON.parse(text ?? "{}") as Partial<SidebarState>) };
  } catch {
    return empty;
  }
}

/** The state for an organization, and the function that changes parts of it. */
export function useSidebarState(org: string) {
  const { data: identity } = useQuery(identityQuery);
  const key = `${prefix}-${identity?.id ?? ""}-${org}`;
  const text = useSyncExternalStore(listen, () => localStorage.getItem(key));
  const state = useMemo(() => parse(text), [text]);
  const change = (part: (old: SidebarState) => Partial<SidebarState>) => {
    const old = parse(localStorage.getItem(key));
    const next = { ...old, ...part(old) };
    localStorage.setItem(key, JSON.stringify({ ...next, open: next.open.slice(-maxOpen) }));
    for (const listener of listeners) listener();
  };
  return { state, change };
}

/** Pins of an organization's folders and skills. */
export function usePins(org: string) {
  const { state, change } = useSidebarState(org);
  const isSame = (a: Pin) => (b: Pin) => a.kind === b.kind && a.id === b.id;
  return {
    pins: state.pins,
    isPinned: (pin: Pin) => state.pins.some(isSame(pin)),
    toggle: (pin: Pin) =>
      change(({ pins }) => ({
        pins: pins.some(isSame(pin))
          ? pins.filter((one) => !isSame(pin)(one))
          : [...pins, { kind: pin.kind, id: pin.id }].slice(-maxPins),
      })),
  };
}
