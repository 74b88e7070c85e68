/** Capacity for responses that stay open until their caller leaves. */
import { actorKey, type Actor } from "./actor.ts";

export interface StreamSlotOptions {
  count: number;
  /** Streams of one holder: a person's pages, a person's programs, an organization's programs, an address. */
  perHolder: number;
}

export interface StreamSlots {
  /** A function that releases the slot, or undefined if none is free for the caller. Repeated calls do nothing. */
  take(actor: Actor): (() => void) | undefined;
}

/**
 * Kinds of callers, with the part of the slots that all of a kind may hold. Programs leave slots for people's pages,
 * and callers without a credential for programs.
 */
const shares = { page: 1, program: 0.75, anonymous: 0.25 };

export function openStreamSlots({ count, perHolder }: StreamSlotOptions): StreamSlots {
  const held = new Map<string, number>();
  const heldBy = (name: string) => held.get(name) ?? 0;
  const change = (name: string, by: number) => {
    const left = heldBy(name) + by;
    if (left === 0) held.delete(name);
    else held.set(name, left);
  };
  return {
    take(actor) {
      const kind = kindOf(actor);
      const holder = `${kind} of ${holderOf(actor)}`;
      const all = heldBy("page") + heldBy("program") + heldBy("anonymous");
      if (all >= count || heldBy(kind) >= Math.ceil(count * shares[kind]) || heldBy(holder) >= perHolder)
        return undefined;
      for (const name of [kind, holder]) change(name, 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        for (const name of [kind, holder]) change(name, -1);
      };
    },
  };
}

function kindOf(actor: Actor): keyof typeof shares {
  if (actor.kind === "anonymous") return "anonymous";
  return actor.kind === "user" && actor.via.kind === "session" ? "page" : "program";
}

/** All tokens of an organization, and all of a person, are one holder. */
function holderOf(actor: Actor): string {
  return actor.kind === "organization" ? actor.memberships[0].tenantId : actorKey(actor);
}
